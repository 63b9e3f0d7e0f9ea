/** The servers that cases run against: ours in process, ours over HTTP, and a real kube-apiserver. */
import { Agent } from "node:https";
import { request as httpsRequest } from "node:https";
import type { ApiServer } from "../src/index.ts";
import type { HookServer } from "./hooks/server.ts";

/** What a target is asked. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | undefined;
  /** Reads so many lines of a watch and hangs up; `undefined` reads to the end. */
  readonly lines: number | undefined;
}

/** What it answers. */
export interface Answered {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly text: string;
}

/** A server to ask. */
export interface Target {
  readonly name: string;
  /** Bearer tokens of the users that cases speak as. */
  readonly tokens: { readonly admin: string; readonly alice: string };
  /** Where the webhooks are that cases register: `{hook}` and `{hookCa}`. */
  readonly hooks?: Pick<HookServer, "url" | "caBundle"> | undefined;
  ask(asked: Asked): Promise<Answered>;
}

/** Our server without a socket. */
export function inProcessTarget(server: ApiServer, alice: string): Target {
  return {
    name: "in process",
    tokens: { admin: server.token, alice },
    async ask({ method, path, headers, body, lines }) {
      const stop = new AbortController();
      // An empty credential is none: without it, whoever holds the server is its administrator.
      const init = {
        method,
        headers: { authorization: "", ...headers },
        signal: stop.signal,
        ...(body === undefined ? {} : { body }),
      };
      const response = await server.fetch(new Request(`http://in-process${path}`, init));
      const text = lines === undefined ? await response.text() : await readLines(response, lines, stop);
      return { status: response.status, headers: headersOf(response), text };
    },
  };
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
    // Aborted streams end with an error; what was read until then counts.
  }
  stop.abort();
  return text.split("\n").slice(0, lines).join("\n");
}

/** The same target, which can reach these webhooks. */
export function withHooks(target: Target, hooks: HookServer): Target {
  return { ...target, hooks };
}

/** A server behind TLS: ours or the real one. */
export function httpsTarget(name: string, url: string, tokens: Target["tokens"]): Target {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  return {
    name,
    tokens,
    ask: (asked) =>
      new Promise((resolve, reject) => {
        const request = httpsRequest(new URL(asked.path, url), {
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

/** Without it, node sends no body with a DELETE. */
function lengthOf(body: string | undefined): { "content-length"?: string } {
  return body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
}

function cut(text: string, lines: number | undefined): string {
  return lines === undefined ? text : text.split("\n").slice(0, lines).join("\n");
}
