/** A transport that is made when the first request comes: a program that only imports the client pays for no network. */
import type { Transport } from "./transport.ts";

/** Hands requests on to a transport that is yet to be made. */
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
    // What could not be made was told to whoever asked for it.
    close: async () => (await making?.catch(() => undefined))?.close?.(),
  };
}
