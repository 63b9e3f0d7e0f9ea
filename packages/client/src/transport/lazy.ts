/** A transport that is created on the first request, so that importing the client loads no network code. */
import type { Transport } from "./transport.ts";

/** Forwards requests to a transport that is created on demand. */
export function lazyTransport(make: () => Promise<Transport>): Transport {
  let made: Transport | undefined;
  let making: Promise<Transport> | undefined;

  function ready(): Promise<Transport> {
    making ??= make().then((transport) => (made = transport));
    return making;
  }

  return {
    request: (request) => made?.request(request) ?? ready().then((transport) => transport.request(request)),
    async open(request) {
      const transport = await ready();
      if (transport.open === undefined) throw new TypeError("a connection over the network carries sockets");
      return transport.open(request);
    },
    // The caller of the failed request got the error.
    close: async () => (await making?.catch(() => undefined))?.close?.(),
  };
}
