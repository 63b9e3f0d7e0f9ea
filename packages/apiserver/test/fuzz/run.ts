/**
 * Compares this server with a real one by random questions: `node run.ts --real <url> --token <token> [--requests N] [--seed N] [kind...]`.
 * The seed is printed and asks the same questions again.
 */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { admissionSteps, startApiServer } from "../../src/index.ts";
import { fuzz } from "./fuzz.ts";
import { fuzzedKinds } from "./kinds.ts";
import { httpsAsk, inProcessAsk, prepare } from "./servers.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    real: { type: "string" },
    token: { type: "string" },
    requests: { type: "string", default: "1000" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
  },
});
await using server = await startApiServer({
  admission: admissionSteps,
  report: (error) => process.stderr.write(`a bug of ours: ${error instanceof Error ? error.stack : String(error)}\n`),
});
const [ours, real] = [inProcessAsk(server), httpsAsk(values.real ?? "", values.token ?? "")];
const namespace = `fuzz-${randomInt(1_000_000)}`;
await Promise.all([prepare(ours, namespace), prepare(real, namespace)]);
const kinds = fuzzedKinds.filter(({ kind }) => positionals.length === 0 || positionals.includes(kind));
const requests = Number(values.requests);
const options = { ours, real, kinds, namespace, hasControllers: false, requests, seed: Number(values.seed) };
let found = 0;
for await (const { question, difference } of fuzz(options)) {
  found++;
  const { method, path, type, accept, body = "" } = question;
  process.stdout.write(`${method} ${path} ${type} ${accept}\n${body}\n${difference}\n\n`);
}
process.stdout.write(`${requests} requests, ${found} differences, seed ${values.seed}\n`);
process.exitCode = found === 0 ? 0 : 1;
