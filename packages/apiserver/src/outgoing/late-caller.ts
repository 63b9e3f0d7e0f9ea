/** A caller that loads what it needs for HTTP with its first call: most servers, above all those of tests, never make one. */
import type { HttpCaller } from "./http-caller.ts";
import type { Dial } from "./outgoing.ts";

/** Opens a caller like `openHttpCaller`, when it is first used. */
export function openLateCaller(dial?: Dial): HttpCaller {
  let opened: Promise<HttpCaller> | undefined;
  const open = async (): Promise<HttpCaller> => (await import("./http-caller.ts")).openHttpCaller(dial);
  return {
    call: async (call) => (await (opened ??= open())).call(call),
    close: () => void opened?.then((caller) => caller.close()),
  };
}
