/**
 * Regenerates `src/generated`, by hand, from a running kube-apiserver and the Go modules of the same release: `node
 * --conditions=@capstan/source packages/kinds/generate/main.ts https://127.0.0.1:6443 ca.crt admin.crt admin.key`
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readDocuments } from "./documents.ts";
import { generate } from "./generate.ts";
import { readProtoPackages } from "./modules.ts";
import { getFrom } from "./server.ts";

const [server, ...files] = process.argv.slice(2);
const [ca, cert, key] = files.map((file) => readFileSync(file, "utf8"));
if (server === undefined || ca === undefined || cert === undefined || key === undefined) {
  throw new Error("usage: main.ts SERVER CA_FILE CERTIFICATE_FILE KEY_FILE");
}

const documents = await readDocuments(getFrom({ server, ca, cert, key }));
const root = join(import.meta.dirname, "../src/generated");
rmSync(root, { recursive: true, force: true });
for (const [path, text] of Object.entries(generate(documents, readProtoPackages(documents.gitVersion)))) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
