// SPDX-License-Identifier: GPL-2.0-only
// Usage: node compile.js COMPILER DIRECTORY LANGUAGE... <DESCRIPTION.json
// Makes a reader in each language, in a folder of its name.
const fs = require('fs');
const path = require('path');
const compiler = require(process.argv[2]);

async function compile(description, language, directory) {
  const files = await compiler.compile(language, description, null, false);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(directory, language, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
}

const [directory, ...languages] = process.argv.slice(3);
const description = JSON.parse(fs.readFileSync(0, 'utf8'));
languages.forEach((language) => compile(description, language, directory));
