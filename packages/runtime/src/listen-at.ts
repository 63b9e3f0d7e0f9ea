/** Opens a server at an address, or says in a sentence why it cannot be opened there and what to do. */
import { once } from "node:events";
import type { Server } from "node:net";
import { RuntimeError } from "./errors.ts";
import { messageOf } from "./failure.ts";

/** Where to listen, and how users call it. */
export interface Listening {
  /** `host:port`; without a host, every address that this machine has. */
  readonly address: string;
  /** What is served there, as in `metrics`. */
  readonly what: string;
  /** The flag that chooses the address. */
  readonly flag: string;
}

/** Listens at an address. */
export async function listenAt(server: Server, listening: Listening): Promise<void> {
  const { address } = listening;
  const colon = address.lastIndexOf(":");
  try {
    const host = address.slice(0, colon).replaceAll(/^\[|\]$/gu, "");
    // Without a host Node takes both families where there are both, and the one that there is otherwise.
    server.listen({ port: Number(address.slice(colon + 1)), ...(host === "" ? {} : { host }) });
    await once(server, "listening");
  } catch (cause) {
    throw cannotListen(listening, cause);
  }
}

const reasons: { readonly [code: string]: string } = {
  EADDRINUSE: "another program listens there",
  EACCES: "this user may not listen there",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "nobody knows the name of that host",
};

function cannotListen({ address, what, flag }: Listening, cause: unknown): RuntimeError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const why = reasons[code] ?? messageOf(cause);
  const message = `Cannot serve ${what} at ${address}: ${why}. Choose another address with --${flag}, or 0 for none.`;
  return new RuntimeError("CannotListen", message, { cause });
}
