/** The servers that cases run against: this server in process and over HTTP, and a real kube-apiserver. */
import { Agent } from "node:https";
import { request as httpsRequest } from "node:https";
import type { ApiServer } from "../src/index.ts";
import type { HookServer } from "./hooks/server.ts";

/** A request to a target. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | undefined;
  /** Reads this many lines of a watch and disconnects; `undefined` reads to the end. */
  readonly lines: number | undefined;
}

/** The response of a target. */
export interface Answered {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly text: string;
}

/** A server under test. */
export interface Target {
  readonly name: string;
  /** Bearer tokens of the users in cases. */
  readonly tokens: { readonly admin: string; readonly alice: string };
  /** The webhooks that cases register: `{hook}` and `{hookCa}`. */
  readonly hooks?: Pick<HookServer, "url" | "caBundle"> | undefined;
  ask(asked: Asked): Promise<Answered>;
}

/** This server in process. */
export function inProcessTarget(server: ApiServer, alice: string): Target {
  return {
    name: "in process",
    tokens: { admin: server.token, alice },
    async ask({ method, path, headers, body, lines }) {
      const stop = new AbortController();
      // An empty credential stands for anonymous: without the header, an in-process request is that of the administrator.
      const init = {
        method,
        headers: { authorization: "", ...headers },
        signal: stop.signal,
        ...(body === undefined ? {} : { body }),
      };
      const response = await server.fetch(rawRequest(path, init));
      const text = lines === undefined ? await response.text() : await readLines(response, lines, stop);
      return { status: response.status, headers: headersOf(response), text };
    },
  };
}

const origin = "http://in-process";

/** A request that keeps the spelling of its path, which `Request` resolves. */
function rawRequest(path: string, init: RequestInit): Request {
  return Object.defineProperty(new Request(origin, init), "url", { value: `${origin}${path}` });
}

function headersOf(response: Response): { [name: string]: string } {
  return Object.fromEntries(response.headers);
}

async function readLines(response: Response, lines: number, stop: AbortController): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.split("\n").length > lines) break;
    }
  } catch {
    // Aborted streams end with an error; the data read until then is used.
  }
  stop.abort();
  return text.split("\n").slice(0, lines).join("\n");
}

/** The target with these webhooks. */
export function withHooks(target: Target, hooks: HookServer): Target {
  return { ...target, hooks };
}

/** A server behind TLS: this one or the real one. */
export function httpsTarget(name: string, url: string, tokens: Target["tokens"]): Target {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  return {
    name,
    tokens,
    ask: (asked) =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(url);
        const request = httpsRequest({
          hostname,
          port,
          path: asked.path,
          method: asked.method,
          headers: { ...asked.headers, ...lengthOf(asked.body) },
          agent,
        });
        request.once("error", reject);
        request.once("response", (response) => {
          let text = "";
          const headers = Object.fromEntries(
            Object.entries(response.headers).map(([header, value]) => [header, [value].flat().join(", ")]),
          );
          const done = (): void => resolve({ status: response.statusCode ?? 0, headers, text: cut(text, asked.lines) });
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => {
            text += chunk;
            if (asked.lines !== undefined && text.split("\n").length > asked.lines) {
              done();
              request.destroy();
            }
          });
          response.once("end", done);
          response.once("error", () => {});
        });
        request.end(asked.body);
      }),
  };
}

/** Without the header, node does not send the body of a DELETE. */
function lengthOf(body: string | undefined): { "content-length"?: string } {
  return body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
}

function cut(text: string, lines: number | undefined): string {
  return lines === undefined ? text : text.split("\n").slice(0, lines).join("\n");
}
