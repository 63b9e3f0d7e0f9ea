/** Records the OpenAPI documents of a real kube-apiserver: `node record.ts <url> <token>`. */
import { writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { comparable, definition, version3 } from "./documents.ts";

const [url = "", token = ""] = process.argv.slice(2);

function send(method: string, path: string, body?: unknown): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json",
    };
    const asking = request(`${url}${path}`, { method, headers, rejectUnauthorized: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    asking.on("error", reject);
    asking.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const made = await send("POST", definitions, definition);
if (made.status !== 201) throw new Error(made.body);
for (const path of version3) while ((await send("GET", path)).status !== 200) await pause(200);
while (!(await send("GET", "/openapi/v2")).body.includes("v2alpha1.FooList")) await pause(500);
const answers = await comparable(async (path) => JSON.parse((await send("GET", path)).body) as unknown);
await send("DELETE", `${definitions}/${definition.metadata.name}`);
await writeFile(join(import.meta.dirname, "recorded", "documents.json"), `${JSON.stringify(answers, undefined, 1)}\n`);
