/** Requests documents from a kube-apiserver. */
import { request } from "node:https";
import type { Fields, Get } from "./documents.ts";

/** The address and the credentials of a server. */
export interface Server {
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A function that sends requests to this server. */
export function getFrom({ server, ca, cert, key }: Server): Get {
  return (path, accept) =>
    new Promise((resolve, reject) => {
      const call = request(new URL(path, server), { headers: { accept }, ca, cert, key }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const body = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(JSON.parse(body) as Fields);
          else reject(new Error(`GET ${path} was answered with ${response.statusCode}: ${body.slice(0, 200)}`));
        });
      });
      call.on("error", reject).end();
    });
}
