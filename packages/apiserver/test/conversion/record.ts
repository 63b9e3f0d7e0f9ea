/** Plays the scenario against a real kube-apiserver and records its responses: `node record.ts <url> <token>`. */
import { randomInt } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createAuthority, validFor } from "@capstan/pki";
import { answerReview } from "./hook.ts";
import { definitionOf, tell, type Send, type Told } from "./story.ts";

const [url = "", token = ""] = process.argv.slice(2);
const now = new Date();
const authority = createAuthority({ commonName: "webhook", now, days: 1 });
const { certificate, privateKey } = authority.issue({
  commonName: "webhook",
  usages: ["server"],
  ipAddresses: ["127.0.0.1"],
  ...validFor({ now, days: 1 }),
});
const webhook = createServer({ cert: certificate, key: privateKey }, (incoming, response) => {
  let text = "";
  incoming.on("data", (chunk: Buffer) => (text += chunk.toString()));
  incoming.on("end", () => {
    const { status, body } = answerReview(text);
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
});
await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
const { port } = webhook.address() as AddressInfo;

const send: Send = (method, path, options) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": options?.type ?? "application/json" };
    const asking = request(`${url}${path}`, { method, headers, rejectUnauthorized: false }, (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => (body += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    asking.on("error", reject);
    asking.end(options === undefined ? undefined : JSON.stringify(options.body));
  });

const group = `conversion${randomInt(1_000_000)}.example.org`;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const clientConfig = {
  url: `https://127.0.0.1:${port}/convert`,
  caBundle: Buffer.from(authority.certificate).toString("base64"),
};
await send("POST", definitions, { body: definitionOf(group, clientConfig), type: "application/json" });
while ((await send("GET", `/apis/${group}/v1/cogs`)).status !== 200) await pause(100);
const told: Told[] = [];
for await (const one of tell(send, group)) told.push(one);
await send("DELETE", `${definitions}/cogs.${group}`);
await writeFile(join(import.meta.dirname, "answers.json"), `${JSON.stringify(told, undefined, 2)}\n`);
webhook.close();
process.exit();
