/**
 * Compares this server with a real one by random requests: `npm run fuzz -- [--requests N] [--seed N] [--real URL --token T] [kind...]`.
 *
 * Without a URL, a real Kubernetes is started for the run; its controllers write to many objects, and for these only creations are
 * compared. With a kube-apiserver alone and a static administrator token, everything is compared. The printed seed repeats a run.
 */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { useKubernetes } from "@capstan/kubernetes";
import { admissionSteps, describeLongTurn, longTurn, startApiServer } from "../../src/index.ts";
import type { Ask } from "./ask.ts";
import { fuzz } from "./fuzz.ts";
import { fuzzedKinds } from "./kinds.ts";
import { httpsAsk, inProcessAsk, prepare } from "./servers.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    real: { type: "string" },
    token: { type: "string", default: "" },
    requests: { type: "string", default: "1000" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
  },
});

let bugs = 0;
let longTurns = 0;
let turnsOnBusyMachine = 0;
await using server = await startApiServer({
  admission: admissionSteps,
  // The network of the Kubernetes that is started below: a dry run shows its first address.
  ...(values.real === undefined && { serviceNetwork: "10.96.0.0/16" }),
  // A turn counts by its processor time: on a busy machine, other programs make turns longer.
  onLongTurn(turn) {
    if (turn.cpuMilliseconds > longTurn) longTurns++;
    else turnsOnBusyMachine++;
    process.stderr.write(`${describeLongTurn(turn)}\n`);
  },
  report(error) {
    bugs++;
    process.stderr.write(`a bug of ours: ${error instanceof Error ? error.stack : String(error)}\n`);
  },
});
const [ours, real] = [inProcessAsk(server), await realServer()];
const namespace = `fuzz-${randomInt(1_000_000)}`;
await Promise.all([prepare(ours, namespace), prepare(real, namespace)]);
const kinds = fuzzedKinds.filter(({ kind }) => positionals.length === 0 || positionals.includes(kind));
const requests = Number(values.requests);
const hasControllers = values.real === undefined;
const explained = new Map<string, number>();
let unexplained = 0;
for await (const found of fuzz({ ours, real, kinds, namespace, hasControllers, requests, seed: Number(values.seed) })) {
  const { question, difference, reason } = found;
  if (reason !== undefined) {
    explained.set(reason, (explained.get(reason) ?? 0) + 1);
    continue;
  }
  unexplained++;
  const { method, path, type, accept, body = "" } = question;
  process.stdout.write(`${method} ${path} ${type} ${accept}\n${body}\n${difference}\n\n`);
}
for (const [reason, count] of explained) process.stdout.write(`${count} x ${reason}\n`);
process.stdout.write(
  `${requests} requests, ${unexplained} unexplained differences, ${bugs} bugs, seed ${values.seed}\n`,
);
process.stdout.write(
  `${longTurns} turns of the event loop over ${longTurn} ms of processor time; ${turnsOnBusyMachine} longer ones waited for the machine; ` +
    `the longest turn took ${Math.round(server.parts.turns.longest)} ms\n`,
);
process.exit(unexplained + bugs + longTurns === 0 ? 0 : 1);

async function realServer(): Promise<Ask> {
  if (values.real !== undefined) return httpsAsk(values.real, values.token);
  const { credentials } = await useKubernetes({ after: () => {} }, { own: true });
  return httpsAsk(credentials.server, credentials);
}
