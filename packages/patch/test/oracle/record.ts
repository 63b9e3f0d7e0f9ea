/**
 * Runs stories against a real kube-apiserver and records its responses: `node test/oracle/record.ts <url> <ca file> <certificate file>
 * <key file> <fixture>`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { setTimeout } from "node:timers/promises";
import type { Json } from "@capstan/model";
import { customResourceDefinition, stories, type StoryRequest } from "./stories.ts";

const [url = "", ca = "", cert = "", key = "", fixture = ""] = process.argv.slice(2);
const credentials = { ca: readFileSync(ca), cert: readFileSync(cert), key: readFileSync(key) };

interface Response {
  readonly status: number;
  readonly body: Json;
}

function call(method: string, path: string, body?: Json, type = "application/json"): Promise<Response> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const headers = { "content-type": type, "user-agent": "teller/1", "content-length": Buffer.byteLength(text) };
    const sent = request(`${url}${path}`, { method, headers, ...credentials }, (answer) => {
      let received = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (received += chunk));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(received) as Json }));
    });
    sent.on("error", reject).end(text);
  });
}

const contentTypes = {
  apply: "application/apply-patch+yaml",
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

async function play(collection: string, name: string, step: StoryRequest): Promise<Response> {
  const force = step.force === true ? "&force=true" : "";
  const query = `?fieldManager=${step.manager}${force}`;
  const path = `${collection}/${name}${step.subresource === undefined ? "" : `/${step.subresource}`}${query}`;
  if (step.verb === "create") return call("POST", `${collection}${query}`, step.body);
  if (step.verb !== "update") return call("PATCH", path, step.body, contentTypes[step.verb]);
  const live = (await call("GET", `${collection}/${name}`)).body as { [key: string]: Json };
  return call("PUT", path, { ...live, ...(step.body as object), metadata: live["metadata"] ?? {} });
}

await call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", customResourceDefinition);
const crd = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${customResourceDefinition.metadata.name}`;
for (let isServed = false; !isServed;)
  isServed = JSON.stringify((await call("GET", crd)).body).includes('"Established"');
for (let isServed = false; !isServed;) isServed = (await call("GET", "/apis/example.dev/v1/things")).status === 200;

const recorded: Json[] = [];
for (const { collection, name, steps } of stories) {
  await call("DELETE", `${collection}/${name}`, { propagationPolicy: "Background" });
  for (const step of steps) {
    // Managed fields have times in whole seconds: one second per step distinguishes new ones from old ones.
    await setTimeout(1050);
    const before = await call("GET", `${collection}/${name}`);
    const answer = await play(collection, name, step);
    const live = before.status === 200 ? before.body : null;
    recorded.push({
      story: name,
      step: step as unknown as Json,
      before: live,
      status: answer.status,
      after: answer.body,
    });
  }
  await call("DELETE", `${collection}/${name}`);
}
writeFileSync(fixture, `[\n${recorded.map((entry) => JSON.stringify(entry)).join(",\n")}\n]\n`);
