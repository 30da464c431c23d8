// SPDX-License-Identifier: GPL-2.0-only
/* Settings and clients of librdkafka */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "common/program.h"
#include "common/text.h"
#include "kafka.h"

/* Wait up to two seconds for a new topic. */
#define NEW_TOPIC_TRIES		10
#define NEW_TOPIC_WAIT_US	200000

/*
 * Messages of librdkafka go to standard error, like those of the program. Most report
 * transient states that librdkafka handles itself.
 */
static bool is_verbose;

static void log_line(const rd_kafka_t *client, int level, const char *facility,
		     const char *text)
{
	(void)client;
	if (is_verbose || level <= LOG_CRIT || !strcmp(facility, "CONFWARN"))
		complain("librdkafka: %s: %s", facility, text);
}

static int set_one(rd_kafka_conf_t *conf, const char *name, const char *value,
		   const char *where)
{
	char text[512];

	if (rd_kafka_conf_set(conf, name, value, text, sizeof(text)) == RD_KAFKA_CONF_OK)
		return 0;
	complain("%s: %s", where, text);
	return -1;
}

static bool is_secret(const char *name)
{
	static const char *const secrets[] = {
		"sasl.password", "ssl.key.password", "ssl.key.pem", "ssl.keystore.password",
		"sasl.oauthbearer.client.secret", "sasl.oauthbearer.config",
	};
	size_t i;

	for (i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++)
		if (!strcmp(name, secrets[i]))
			return true;
	return false;
}

/* Refuse secrets: every user of the machine can read a command line. */
static int set_argument(rd_kafka_conf_t *conf, char *setting)
{
	char *equals = strchr(setting, '=');
	int ret;

	if (!equals || equals == setting) {
		complain("-X %s: not NAME=VALUE", setting);
		return -1;
	}
	*equals = '\0';
	if (is_secret(setting)) {
		complain("-X %s: other users can read a command line: put the line into a "
			 "file that only you can read, and use --config", setting);
		ret = -1;
	} else {
		ret = set_one(conf, setting, equals + 1, "-X");
	}
	*equals = '=';
	return ret;
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && strchr(" \t\r\n", end[-1]))
		*--end = '\0';
	return text + strspn(text, " \t");
}

/* Only the service can see the folder of systemd, whatever the file modes are. */
static bool is_credential(const char *file)
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");

	return folder && *folder && has_prefix(file, folder) && file[strlen(folder)] == '/';
}

static bool is_private(FILE *in, const char *file)
{
	struct stat st;

	return is_credential(file) ||
	       (!fstat(fileno(in), &st) && !(st.st_mode & (S_IRWXG | S_IRWXO)));
}

static int set_line(rd_kafka_conf_t *conf, char *line, const char *where,
		    bool is_for_all)
{
	char *equals = strchr(line, '=');

	if (!*line || *line == '#')
		return 0;
	if (!equals) {
		complain("%s: '%s' is not NAME=VALUE", where, line);
		return -1;
	}
	*equals = '\0';
	line = trim(line);
	if (is_for_all && is_secret(line)) {
		complain("%s: other users can read %s: chmod 600", where, line);
		return -1;
	}
	return set_one(conf, line, trim(equals + 1), where);
}

static int read_conf_file(rd_kafka_conf_t *conf, const char *file)
{
	FILE *in = fopen(file, "r");
	char *line = NULL, where[600];
	size_t room = 0;
	bool is_for_all;
	int ret = 0, n = 0;

	if (!in) {
		complain("%s: cannot open the settings: %s", file, strerror(errno));
		return -1;
	}
	is_for_all = !is_private(in, file);
	while (!ret && getline(&line, &room, in) >= 0) {
		put_text(where, sizeof(where), "%s, line %d", file, ++n);
		ret = set_line(conf, trim(line), where, is_for_all);
	}
	free(line);
	fclose(in);
	return ret;
}

bool get_conf(const rd_kafka_conf_t *conf, const char *name, char *text, size_t size)
{
	return rd_kafka_conf_get(conf, name, text, &size) == RD_KAFKA_CONF_OK;
}

static bool has_servers(const rd_kafka_conf_t *conf)
{
	char servers[4096] = "";

	get_conf(conf, "bootstrap.servers", servers, sizeof(servers));
	return *servers;
}

static int fill_conf(rd_kafka_conf_t *made, const struct conf *conf,
		     const char *const *own)
{
	int i, ret = set_one(made, "client.id", "zio-kafka", "client.id");

	for (i = 0; !ret && own[i]; i += 2)
		ret = set_one(made, own[i], own[i + 1], own[i]);
	if (!ret && conf->file)
		ret = read_conf_file(made, conf->file);
	for (i = 0; !ret && i < conf->n_settings; i++)
		ret = set_argument(made, conf->settings[i]);
	if (!ret && (conf->brokers || !has_servers(made)))
		ret = set_one(made, "bootstrap.servers",
			      conf->brokers ? conf->brokers : "localhost:9092", "--brokers");
	return ret;
}

rd_kafka_conf_t *make_conf(const struct conf *conf, const char *const *own)
{
	rd_kafka_conf_t *made = rd_kafka_conf_new();

	is_verbose = conf->is_verbose;
	rd_kafka_conf_set_log_cb(made, log_line);
	if (!fill_conf(made, conf, own))
		return made;
	rd_kafka_conf_destroy(made);
	return NULL;
}

rd_kafka_t *make_client(rd_kafka_type_t type, rd_kafka_conf_t *conf)
{
	char text[512];
	rd_kafka_t *client = rd_kafka_new(type, conf, text, sizeof(text));

	if (client)
		return client;
	complain("settings of librdkafka: %s", text);
	rd_kafka_conf_destroy(conf);
	return NULL;
}

static int partitions_of(const rd_kafka_metadata_t *data, const char *name)
{
	const rd_kafka_metadata_topic_t *topic = data->topics;

	if (data->topic_cnt == 1 && !topic->err)
		return topic->partition_cnt;
	complain("topic %s: %s: create it, or correct the name", name,
		 data->topic_cnt == 1 ? rd_kafka_err2str(topic->err) : "unknown");
	return -1;
}

/* Brokers learn of a new topic one by one, and of its leader later. */
static bool may_be_new(const rd_kafka_metadata_t *data)
{
	return data->topic_cnt == 1 &&
	       (data->topics->err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
		data->topics->err == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE);
}

int count_partitions(rd_kafka_t *client, const char *name, int ms)
{
	const rd_kafka_metadata_t *data;
	rd_kafka_topic_t *topic = rd_kafka_topic_new(client, name, NULL);
	rd_kafka_resp_err_t err;
	int ret = -1, tries = NEW_TOPIC_TRIES;

	if (!topic) {
		complain("topic %s: %s", name, rd_kafka_err2str(rd_kafka_last_error()));
		return -1;
	}
	while (!(err = rd_kafka_metadata(client, 0, topic, &data, ms)) && may_be_new(data) &&
	       --tries) {
		rd_kafka_metadata_destroy(data);
		usleep(NEW_TOPIC_WAIT_US);
	}
	rd_kafka_topic_destroy(topic);
	if (err) {
		complain("topic %s: no broker answers: %s: check that it runs, and check "
			 "--brokers", name, rd_kafka_err2str(err));
		return -2;
	}
	ret = partitions_of(data, name);
	rd_kafka_metadata_destroy(data);
	return ret;
}
