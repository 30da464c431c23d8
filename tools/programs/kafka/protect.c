// SPDX-License-Identifier: GPL-2.0-only
/* Check whether the connection to the brokers is protected. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "common/program.h"
#include "common/text.h"
#include "kafka.h"

/* Reduce a broker such as "SSL://[::1]:9092" to its host. */
static char *host_of(char *broker)
{
	char *scheme = strstr(broker, "://"), *host = scheme ? scheme + 3 : broker;

	if (*host == '[') {
		host++;
		host[strcspn(host, "]")] = '\0';
	} else if (strchr(host, ':') == strrchr(host, ':')) {
		host[strcspn(host, ":")] = '\0';
	}
	return host;
}

/* Compare the whole name: "localhost.example.org" is somebody else's host. */
static bool is_local(const char *host)
{
	struct in6_addr v6;
	struct in_addr v4;

	if (inet_pton(AF_INET, host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET;
	if (inet_pton(AF_INET6, host, &v6) == 1)
		return IN6_IS_ADDR_LOOPBACK(&v6);
	return !strcasecmp(host, "localhost");
}

/* Put the host of the first remote broker. Returns false if all are local. */
static bool find_remote(const rd_kafka_conf_t *made, char *host, size_t size)
{
	char servers[4096] = "", *save, *one;

	get_conf(made, "bootstrap.servers", servers, sizeof(servers));
	for (one = strtok_r(servers, ", ", &save); one; one = strtok_r(NULL, ", ", &save)) {
		put_text(host, size, "%s", host_of(one));
		if (!is_local(host))
			return true;
	}
	return false;
}

static bool has_password(const rd_kafka_conf_t *made)
{
	char text[4096] = "";

	return (get_conf(made, "sasl.password", text, sizeof(text)) && *text) ||
	       (get_conf(made, "sasl.oauthbearer.client.secret", text, sizeof(text)) &&
		*text);
}

int check_protection(const rd_kafka_conf_t *made, bool is_trusted)
{
	char protocol[64] = "", host[256] = "";

	get_conf(made, "security.protocol", protocol, sizeof(protocol));
	if (is_trusted || (strcmp(protocol, "plaintext") && strcmp(protocol, "sasl_plaintext")) ||
	    !find_remote(made, host, sizeof(host)))
		return 0;
	if (!strcmp(protocol, "sasl_plaintext") && has_password(made)) {
		complain("%s: the password would go through the network without encryption: "
			 "set security.protocol=sasl_ssl, or use --insecure if you trust every "
			 "host on the network", host);
		return -1;
	}
	complain("%s: the connection has no encryption%s: set security.protocol=ssl or "
		 "sasl_ssl; --insecure silences this warning", host,
		 strcmp(protocol, "plaintext") ? "" : " and no password");
	return 0;
}
