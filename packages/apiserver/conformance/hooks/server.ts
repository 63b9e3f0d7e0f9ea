/** The HTTPS server of the webhooks that cases register, on the loopback interface with its own certificate. */
import { createServer, type Server } from "node:https";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createAuthority, validFor } from "@capstan/pki";
import { answerAdmission, type Reply, type Review } from "./admission.ts";

/** The address of the webhooks. */
export interface HookServer extends AsyncDisposable {
  readonly url: string;
  /** The CA of the certificate, as in webhook configurations. */
  readonly caBundle: string;
}

export async function startHookServer(): Promise<HookServer> {
  const now = new Date();
  const authority = createAuthority({ commonName: "authority of hooks", now, days: 1 });
  const { certificate, privateKey } = authority.issue({
    commonName: "hooks",
    usages: ["server"],
    ipAddresses: ["127.0.0.1"],
    ...validFor({ now, days: 1 }),
  });
  const server = createServer({ cert: certificate, key: privateKey }, (incoming, response) => {
    let text = "";
    incoming.on("data", (chunk: Buffer) => (text += chunk.toString()));
    incoming.on("end", () => send(response, replyTo(incoming.url ?? "", text)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(authority.certificate).toString("base64"),
    [Symbol.asyncDispose]: () => close(server),
  };
}

function replyTo(url: string, text: string): Reply {
  const name = new URL(url, "https://hooks").pathname.split("/").at(-1) ?? "";
  // A redirected request (301, 302, 303) arrives as GET without a body.
  if (text === "") return { type: "answer", status: 405, body: "nothing to review", contentType: "text/plain" };
  return answerAdmission(name, JSON.parse(text) as Review);
}

function send(response: ServerResponse, reply: Reply): void {
  switch (reply.type) {
    case "answer":
      response
        .writeHead(reply.status, { "content-type": reply.contentType ?? "application/json", ...reply.headers })
        .end(reply.body);
      return;
    case "hang-up":
      response.destroy();
      return;
    case "silence":
      return;
  }
}

/** Requests that never get a response must not keep the server open. */
async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
