/**
 * Compares this server with a real one by random questions: `node run.ts --real <url> --token <token> [--runs N] [--seed N] [kind...]`.
 * `--runs` counts the questions of each kind; the seed is printed and asks the same questions again.
 */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { startApiServer } from "../../src/index.ts";
import { fuzz } from "./fuzz.ts";
import { fuzzedKinds } from "./kinds.ts";
import { httpsAsk, inProcessAsk, prepare } from "./servers.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    real: { type: "string" },
    token: { type: "string" },
    runs: { type: "string", default: "100" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
  },
});
await using server = await startApiServer({
  report: (error) => process.stderr.write(`a bug of ours: ${String(error)}\n`),
});
const [ours, real] = [inProcessAsk(server), httpsAsk(values.real ?? "", values.token ?? "")];
const namespace = `fuzz-${randomInt(1_000_000)}`;
await Promise.all([prepare(ours, namespace), prepare(real, namespace)]);
const kinds = fuzzedKinds.filter(({ kind }) => positionals.length === 0 || positionals.includes(kind));
const options = {
  ours,
  real,
  kinds,
  namespace,
  hasControllers: false,
  runs: Number(values.runs),
  seed: Number(values.seed),
};
let found = 0;
for await (const { question, difference } of fuzz(options)) {
  found++;
  process.stdout.write(`${question.method} ${question.path} ${question.type}\n${question.body}\n${difference}\n\n`);
}
process.stdout.write(`${kinds.length * options.runs} questions, ${found} differences, seed ${values.seed}\n`);
process.exit(found === 0 ? 0 : 1);
