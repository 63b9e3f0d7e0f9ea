/** Starts a server on an address, or throws an error that says why that failed and what to do. */
import { once } from "node:events";
import type { Server } from "node:net";
import { RuntimeError } from "../errors.ts";
import { messageOf } from "../failure.ts";

/** The address of a server, and its name for users. */
export interface Listening {
  /** `host:port`; without a host, all addresses of this machine. */
  readonly address: string;
  /** The name of the server, as in `metrics`. */
  readonly what: string;
  /** The flag that sets the address. */
  readonly flag: string;
}

/** Listens at an address. */
export async function listenAt(server: Server, listening: Listening): Promise<void> {
  const { address } = listening;
  const colon = address.lastIndexOf(":");
  try {
    const host = address.slice(0, colon).replaceAll(/^\[|\]$/gu, "");
    // Without a host Node listens on both address families if both exist, otherwise on the existing one.
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
  ENOTFOUND: "the name of that host is unknown",
};

function cannotListen({ address, what, flag }: Listening, cause: unknown): RuntimeError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const why = reasons[code] ?? messageOf(cause);
  const message = `Cannot serve ${what} at ${address}: ${why}. Choose another address with --${flag}, or 0 for none.`;
  return new RuntimeError("CannotListen", message, { cause });
}
