/**
 * Writes `src/generated` anew, by hand, from a running kube-apiserver and the Go modules of the same release:
 * `node --conditions=@capstan/source packages/kinds/generate/main.ts https://127.0.0.1:6443 TOKEN CA_FILE GO_MODULE_CACHE`
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readDocuments } from "./documents.ts";
import { generate } from "./generate.ts";
import { readProtoPackages } from "./modules.ts";
import { getFrom } from "./server.ts";

const [server, token, caFile, moduleCache] = process.argv.slice(2);
if (server === undefined || token === undefined || caFile === undefined || moduleCache === undefined) {
  throw new Error("usage: main.ts SERVER TOKEN CA_FILE GO_MODULE_CACHE");
}

const documents = await readDocuments(getFrom({ server, token, ca: readFileSync(caFile, "utf8") }));
const protos = readProtoPackages(moduleCache, documents.gitVersion);
const root = join(import.meta.dirname, "../src/generated");
rmSync(root, { recursive: true, force: true });
for (const [path, text] of Object.entries(generate(documents, protos))) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
