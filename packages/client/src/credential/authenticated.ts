/** A transport that adds credentials to every request and renews them once after a 401. */
import type { NetworkTransport } from "../network/network.ts";
import { UpgradeError } from "../network/upgrade-error.ts";
import type {
  MessageSocket,
  RequestHeaders,
  Transport,
  TransportRequest,
  TransportResponse,
} from "../transport/transport.ts";
import type { Credential, Identity } from "./credential.ts";

/** The headers besides the credential. */
export interface ExtraHeaders {
  readonly headers: RequestHeaders;
}

/** Adds a credential to a connection. */
export function authenticated(network: NetworkTransport, credential: Credential, extra: ExtraHeaders): Transport {
  let lastCert: string | undefined;

  /** A certificate belongs to the connection: a new certificate needs a new connection. */
  function present({ cert, headers }: Identity): RequestHeaders {
    if (cert !== lastCert && lastCert !== undefined) network.renew();
    lastCert = cert;
    return { ...headers, ...extra.headers };
  }

  const send = (identity: Identity, request: TransportRequest): Promise<TransportResponse> =>
    network.request({ ...request, headers: { ...request.headers, ...present(identity) } });

  async function exchange(identity: Identity, request: TransportRequest): Promise<TransportResponse> {
    const response = await send(identity, request);
    if (response.status !== 401) return response;
    const renewed = await credential.renew(identity, request.signal);
    if (renewed === identity) return response;
    response.body.cancel();
    return send(renewed, request);
  }

  return {
    request(request) {
      const identity = credential.current(request.signal);
      return identity instanceof Promise ? identity.then((one) => exchange(one, request)) : exchange(identity, request);
    },
    async open(request) {
      const open = (identity: Identity): Promise<MessageSocket> =>
        network.open({ ...request, headers: { ...request.headers, ...present(identity) } });
      const identity = await credential.current(request.signal);
      try {
        return await open(identity);
      } catch (error) {
        if (!(error instanceof UpgradeError) || error.status !== 401) throw error;
        const renewed = await credential.renew(identity, request.signal);
        if (renewed === identity) throw error;
        return open(renewed);
      }
    },
    close: () => network.close(),
  };
}
