/**
 * Runs the conformance cases and compares. Usage: run.ts [--real URL] [--record] [--http] [topic or part of a case's name...]
 *
 * With `--real` the answers of a real kube-apiserver are taken; with `--record` they are kept in `recorded/`, one file a topic.
 * Without `--real` ours are compared with what was recorded.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isDeepStrictEqual } from "node:util";
import { startApiServer } from "../src/index.ts";
import { topics } from "./cases/index.ts";
import type { Case } from "./case.ts";
import type { Recorded } from "./answer.ts";
import { firstDifference } from "./difference.ts";
import { play } from "./play.ts";
import { httpsTarget, inProcessTarget, type Target } from "./target.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    real: { type: "string" },
    record: { type: "boolean" },
    http: { type: "boolean" },
    verbose: { type: "boolean" },
  },
});
const tokens = {
  admin: process.env["REAL_ADMIN_TOKEN"] ?? "admintoken",
  alice: process.env["REAL_USER_TOKEN"] ?? "usertoken",
};
const folder = join(import.meta.dirname, "recorded");
const stamp = Date.now().toString(36);

await using server = await startApiServer({
  listen: { port: 0 },
  tokens: new Map([["alice-token", { name: "alice", uid: "alice-uid", groups: ["dev"] }]]),
  report: (error) => process.stderr.write(`${String(error)}\n`),
});
const ours: Target =
  values.http === true
    ? httpsTarget("over HTTP", server.url ?? "", { admin: server.token, alice: "alice-token" })
    : inProcessTarget(server, "alice-token");
const real = values.real === undefined ? undefined : httpsTarget("real", values.real, tokens);

let passed = 0;
const failures: string[] = [];
let number = 0;
for (const { topic, cases } of topics) {
  const file = join(folder, `${topic}.json`);
  const known = real === undefined || values.record !== true ? load(file) : {};
  for (const one of cases) {
    const label = `${topic}: ${one.name}`;
    if (positionals.length > 0 && !positionals.some((part) => label.includes(part))) continue;
    number++;
    await runCase(one, { label, known, space: `c${stamp}-${number}` });
  }
  if (real !== undefined && values.record === true) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, `${JSON.stringify(known, undefined, 1)}\n`);
  }
}
const summary = `${passed} passed, ${failures.length} failed (${ours.name})`;
process.stdout.write(`${[...failures, summary].join("\n")}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function runCase(
  one: Case,
  { label, known, space }: { label: string; known: { [name: string]: Recorded[] }; space: string },
): Promise<void> {
  const expected = real === undefined ? known[one.name] : await play(real, space, one);
  if (expected === undefined) {
    failures.push(`? ${label}: nothing recorded`);
    return;
  }
  known[one.name] = JSON.parse(JSON.stringify(expected)) as Recorded[];
  const actual = await play(ours, space, one);
  if (isDeepStrictEqual(JSON.parse(JSON.stringify(actual)), known[one.name])) passed++;
  else failures.push(`x ${label}\n${firstDifference(known[one.name] ?? [], actual)}`);
}

function load(file: string): { [name: string]: Recorded[] } {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as { [name: string]: Recorded[] };
  } catch {
    return {};
  }
}
