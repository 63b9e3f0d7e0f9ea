/** The two servers as functions. */
import { Agent, request } from "node:https";
import type { ApiServer } from "../../src/index.ts";
import type { Ask } from "./ask.ts";

/** This server, in process. */
export function inProcessAsk(server: ApiServer): Ask {
  return async ({ method, path, type, accept, body }) => {
    const headers = { "content-type": type, accept };
    const options = { method, headers, ...(body === undefined ? {} : { body }) };
    const response = await server.fetch(new Request(`http://in-process${path}`, options));
    return {
      status: response.status,
      body: await response.text(),
      warning: response.headers.get("warning") ?? "",
    };
  };
}

/** The credentials: a bearer token, or a client certificate. */
export type Asker = string | { readonly cert: string; readonly key: string };

/** A server over HTTPS; its certificate is not verified. */
export function httpsAsk(url: string, asker: Asker): Ask {
  const isToken = typeof asker === "string";
  const agent = new Agent({
    keepAlive: true,
    rejectUnauthorized: false,
    ...(isToken ? {} : { cert: asker.cert, key: asker.key }),
  });
  const once: Ask = ({ method, path, type, accept, body }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const authorization = isToken ? { authorization: `Bearer ${asker}` } : {};
      const headers = { ...authorization, ...length, "content-type": type, accept };
      const asking = request(`${url}${path}`, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const warning = [response.headers["warning"] ?? ""].flat().join(", ");
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString(), warning });
        });
      });
      asking.on("error", reject);
      asking.end(body);
    });
  // The server may close a kept-alive connection while it is reused; nothing was stored, so the request is repeated. A server that panics
  // closes the connection each time, and that is its response.
  const hungUp = { status: 0, body: "hung up", warning: "" };
  return (question) => once(question).catch(() => once(question).catch(() => hungUp));
}

/** Creates the namespace of a run and the service account of its pods. */
export async function prepare(ask: Ask, namespace: string): Promise<void> {
  const json = { type: "application/json", accept: "application/json", method: "POST" };
  await ask({ ...json, path: "/api/v1/namespaces", body: JSON.stringify({ metadata: { name: namespace } }) });
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await ask({ ...json, path, body: JSON.stringify({ metadata: { name: "default" } }) });
}
