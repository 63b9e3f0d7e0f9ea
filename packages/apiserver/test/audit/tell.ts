/** Plays the scenario against a server and collects the audit events of each step. */
import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import type { AuditEvent } from "../../src/index.ts";
import { stepsOf, tokens, traces, type Hooks, type Step } from "./story.ts";

/** A server, and the events that it has written so far. */
export interface Told {
  readonly url: string;
  events(): readonly AuditEvent[];
}

/** The events of a step, without values that differ between runs. */
export interface Recorded {
  readonly step: string;
  readonly events: readonly AuditEvent[];
}

export async function tell(server: Told, hooks: Hooks): Promise<Recorded[]> {
  const steps = stepsOf(hooks);
  for (const [index, step] of steps.entries()) {
    if (step.shows !== undefined)
      await until(async () => (await ask(server, step, "waiting")).includes(step.shows ?? ""));
    await ask(server, step, `step-${index}`);
  }
  const recorded: Recorded[] = [];
  for (const [index, { method, path, token, headers }] of steps.entries()) {
    const id = headers?.["audit-id"] ?? `step-${index}`;
    const own = (): AuditEvent[] => server.events().filter(({ auditID }) => auditID === id);
    // The last event is written when the response ends, which the client may notice first.
    await until(async () =>
      own().some(({ stage, responseStatus }) => stage === "ResponseComplete" || responseStatus.code === 401),
    );
    const who = token === undefined ? "" : ` as ${token}`;
    recorded.push({ step: `${method} ${path}${who}`, events: own().map(unified) });
  }
  for (const step of traces) await ask(server, step, "traces");
  return recorded;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(20);
}

/** The text of the response, preceded by its warnings. */
function ask({ url }: Told, step: Step, auditId: string): Promise<string> {
  const { method, path, headers = {}, body, type = "application/json" } = step;
  const token = "token" in step ? step.token : tokens.admin;
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  const all = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(text === undefined ? {} : { "content-type": type, "content-length": String(Buffer.byteLength(text)) }),
    accept: "application/json",
    "user-agent": "story",
    "audit-id": auditId,
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const options = { method, headers: all, rejectUnauthorized: false };
    const request = url.startsWith("https:") ? requestSecure : requestPlain;
    const asking = request(`${url}${path}`, options, (response) => {
      let answer = [response.headers["warning"] ?? ""].flat().join();
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (answer += chunk));
      response.on("end", () => resolve(answer));
    });
    asking.on("error", reject);
    asking.end(text);
  });
}

const replacements: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "uuid"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g, "time"],
  [/"apiserver\.latency\.k8s\.io[^"]*":"[^"]*",?/g, ""],
];

function unified(event: AuditEvent): AuditEvent {
  let text = JSON.stringify(event);
  for (const [pattern, by] of replacements) text = text.replaceAll(pattern, by);
  return JSON.parse(text) as AuditEvent;
}
