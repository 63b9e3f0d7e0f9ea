/** A caller that loads the HTTP modules with its first call: most servers, especially in tests, never make one. */
import type { HttpCaller } from "./http-caller.ts";
import type { Dial } from "./outgoing.ts";

/** Like `openHttpCaller`, opened at the first use. */
export function openLateCaller(dial?: Dial): HttpCaller {
  let opened: Promise<HttpCaller> | undefined;
  const open = async (): Promise<HttpCaller> => (await import("./http-caller.ts")).openHttpCaller(dial);
  return {
    call: async (call) => (await (opened ??= open())).call(call),
    close: () => void opened?.then((caller) => caller.close()),
  };
}
