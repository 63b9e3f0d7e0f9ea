/** Plays the scenario against a real kube-apiserver and records its responses: `node record.ts <url> <token> <certificate> <key>`. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { tell, type Ask } from "./story.ts";
import { answerOf } from "./things.ts";

const [url = "", token = "", certificate = "", key = ""] = process.argv.slice(2);

async function serve(service: string): Promise<number> {
  const tls = { cert: readFileSync(certificate), key: readFileSync(key) };
  const server = createServer(tls, (asked, response) => {
    const { status, body } = answerOf(service, (asked.url ?? "").split("?", 1)[0] ?? "");
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  return (server.address() as AddressInfo).port;
}

const ask: Ask = (method, path, body) =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json",
    };
    const asking = request(`${url}${path}`, { method, headers, rejectUnauthorized: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asking.on("error", reject);
    asking.end(body === undefined ? undefined : JSON.stringify(body));
  });

const places = { host: "localhost", newPort: await serve("new"), oldPort: await serve("old") };
const answers = await tell(ask, places, async (isSo) => {
  while (!(await isSo())) await pause(500);
});
await writeFile(join(import.meta.dirname, "recorded", "answers.json"), `${JSON.stringify(answers, undefined, 1)}\n`);
process.exit(0);
