/**
 * Runs the conformance cases. Usage: run.ts [--http] [--real URL [--record]] [part of a name...]
 *
 * The responses of this server are compared with recordings of kube-apiserver (`recorded/`, one file per topic). `--real` runs the cases
 * against a real server; `--record` stores its responses. Its tokens are in REAL_ADMIN_TOKEN and REAL_USER_TOKEN.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startApiServer } from "../src/index.ts";
import type { Recorded } from "./answer.ts";
import { topics } from "./cases/index.ts";
import { differenceOf, recordedAnswers } from "./compare.ts";
import { play } from "./play.ts";
import { startHookServer } from "./hooks/server.ts";
import { httpsTarget, inProcessTarget, withHooks, type Target } from "./target.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { real: { type: "string" }, record: { type: "boolean" }, http: { type: "boolean" } },
});
const aliceToken = "alice-token";
await using server = await startApiServer({
  listen: { port: 0 },
  tokens: new Map([[aliceToken, { name: "alice", uid: "alice-uid", groups: ["dev"] }]]),
  report: (error) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
});
await using hooks = await startHookServer();
const ours: Target = withHooks(
  values.http === true
    ? httpsTarget("over HTTP", server.url ?? "", { admin: server.token, alice: aliceToken })
    : inProcessTarget(server, aliceToken),
  hooks,
);
const realTokens = {
  admin: process.env["REAL_ADMIN_TOKEN"] ?? "admintoken",
  alice: process.env["REAL_USER_TOKEN"] ?? "usertoken",
};
const real = values.real === undefined ? undefined : withHooks(httpsTarget("real", values.real, realTokens), hooks);

const stamp = Date.now().toString(36);
const lines: string[] = [];
let passed = 0;
let number = 0;
for (const { topic, cases } of topics) {
  const recorded = recordedAnswers(topic);
  let isAsked = false;
  for (const one of cases) {
    const name = `${topic}: ${one.name}`;
    if (positionals.length > 0 && !positionals.some((part) => name.includes(part))) continue;
    isAsked = true;
    const space = `c${stamp}-${++number}`;
    if (real !== undefined) recorded[one.name] = asJson(await play(real, space, one));
    const difference = differenceOf(recorded[one.name], await play(ours, space, one));
    if (difference === undefined) passed++;
    else lines.push(`x ${name}\n${difference}`);
  }
  if (values.record === true && isAsked) keep(topic, recorded);
}
lines.push(`${passed} passed, ${lines.length} failed (${ours.name})`);
process.stdout.write(`${lines.join("\n")}\n`);
process.exitCode = lines.length === 1 ? 0 : 1;

function asJson(answers: readonly Recorded[]): Recorded[] {
  return JSON.parse(JSON.stringify(answers)) as Recorded[];
}

function keep(topic: string, recorded: { [name: string]: Recorded[] }): void {
  const folder = join(import.meta.dirname, "recorded");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${topic}.json`), `${JSON.stringify(recorded, undefined, 1)}\n`);
}
