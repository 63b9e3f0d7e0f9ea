/**
 * Plays the scenario against a real kube-apiserver and records its events: `node record.ts <url> <audit log>`.
 *
 * The server needs `--token-auth-file` with the lines `tok,admin,uid-admin,"system:masters"` and `bob,bob,uid-bob,"devs"`,
 * `--authorization-mode=RBAC`, and an audit policy of the one rule `level: Metadata` that omits the stage RequestReceived.
 */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startHookServer } from "../../conformance/hooks/server.ts";
import type { AuditEvent } from "../../src/index.ts";
import { tell } from "./tell.ts";

const [url = "", log = ""] = process.argv.slice(2);
await using hooks = await startHookServer();
const events = (): AuditEvent[] => {
  const lines = readFileSync(log, "utf8").split("\n");
  // Only requests of the scenario have such an ID; the log of a long-running server has many more events.
  return lines.filter((line) => /"auditID":"(step-\d+|mine)"/.test(line)).map((line) => JSON.parse(line) as AuditEvent);
};
const recorded = await tell({ url, events }, hooks);
await writeFile(join(import.meta.dirname, "recorded.json"), `${JSON.stringify(recorded, undefined, 1)}\n`);
