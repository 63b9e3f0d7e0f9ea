/** The two servers as functions. */
import { Agent, request } from "node:https";
import type { ApiServer } from "../../src/index.ts";
import type { Ask } from "./ask.ts";

/** This server, without a socket. */
export function inProcessAsk(server: ApiServer): Ask {
  return async ({ method, path, type, body }) => {
    const options = { method, headers: { "content-type": type }, body };
    const response = await server.fetch(new Request(`http://in-process${path}`, options));
    return { status: response.status, body: await response.text() };
  };
}

/** Who asks: a bearer of a token, or the owner of a certificate. */
export type Asker = string | { readonly cert: string; readonly key: string };

/** A server on a port, whoever signed its certificate. */
export function httpsAsk(url: string, asker: Asker): Ask {
  const isToken = typeof asker === "string";
  const agent = new Agent({
    keepAlive: true,
    rejectUnauthorized: false,
    ...(isToken ? {} : { cert: asker.cert, key: asker.key }),
  });
  return ({ method, path, type, body }) =>
    new Promise((resolve, reject) => {
      const headers = { ...(isToken ? { authorization: `Bearer ${asker}` } : {}), "content-type": type };
      const asking = request(`${url}${path}`, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      });
      asking.on("error", reject);
      asking.end(body);
    });
}

/** Makes the namespace of a run. */
export async function prepare(ask: Ask, namespace: string): Promise<void> {
  const body = JSON.stringify({ metadata: { name: namespace } });
  await ask({ method: "POST", path: "/api/v1/namespaces", type: "application/json", body });
}
