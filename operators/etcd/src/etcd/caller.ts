/** Typed calls over a channel, with etcd's authentication token: requested when needed, renewed when rejected. */
import type { Channel } from "./channel.ts";
import type { CallOptions, ConnectOptions } from "./client.ts";
import { EtcdError } from "./errors.ts";
import { LoginRequest, LoginResponse } from "./wire/cluster-messages.ts";
import type { Message } from "./wire/message.ts";

/** A method: path, request and response. */
export interface Method<Request, Answer> {
  readonly path: string;
  readonly request: Message<Request>;
  readonly answer: Message<Answer>;
}

export interface Caller {
  readonly endpoint: string;
  /** Unary call. */
  readonly ask: <Request, Answer>(
    method: Method<Request, Answer>,
    request: Partial<Request>,
    options?: CallOptions,
  ) => Promise<Answer>;
  /** Streaming call. Default: no timeout. */
  readonly stream: <Request, Answer>(
    method: Method<Request, Answer>,
    request: Partial<Request>,
    options?: CallOptions & { readonly isOpenEnded?: boolean },
  ) => AsyncGenerator<Answer, void, void>;
}

const LOGIN = { path: "Auth/Authenticate", request: LoginRequest, answer: LoginResponse };

export function createCaller(channel: Channel, options: ConnectOptions): Caller {
  const { endpoint, credentials, timeoutMs: limit = 5000 } = options;
  let token: Promise<string | undefined> | undefined;

  const login = async (): Promise<string | undefined> => {
    if (credentials === undefined) return undefined;
    const request = LoginRequest.encode(credentials);
    try {
      const bytes = await only(channel.call({ path: LOGIN.path, request, timeoutMs: limit }), endpoint, LOGIN.path);
      return LOGIN.answer.decode(bytes).token;
    } catch (error) {
      if (error instanceof EtcdError && error.code === "AuthDisabled") return undefined;
      throw error;
    }
  };
  const currentToken = (): Promise<string | undefined> => {
    if (token) return token;
    const fetched = login();
    // A login that failed, or found authentication disabled, is retried by the next call.
    const forget = (): void => {
      if (token === fetched) token = undefined;
    };
    fetched.then((value) => (value === undefined ? forget() : undefined), forget);
    token = fetched;
    return fetched;
  };
  /** Runs a call. If the token is rejected, runs it again with a new one. */
  const withToken = async <T>(run: (token: string | undefined) => Promise<T>): Promise<T> => {
    const used = currentToken();
    try {
      return await run(await used);
    } catch (error) {
      if (credentials === undefined || !(error instanceof EtcdError) || error.code !== "Unauthenticated") throw error;
      if (token === used) token = undefined;
      return run(await currentToken());
    }
  };

  return {
    endpoint,
    ask: (method, value, { timeoutMs = limit, signal } = {}) => {
      const request = method.request.encode(value);
      return withToken(async (current) => {
        const call = { path: method.path, request, token: current, timeoutMs, ...(signal ? { signal } : {}) };
        return method.answer.decode(await only(channel.call(call), endpoint, method.path));
      });
    },
    stream: async function* (method, value, streamOptions = {}) {
      const request = method.request.encode(value);
      const current = await currentToken();
      for await (const bytes of channel.call({ path: method.path, request, token: current, ...streamOptions })) {
        yield method.answer.decode(bytes);
      }
    },
  };
}

/** The only message of a response. Also waits for the status after it. */
async function only(messages: AsyncIterable<Buffer>, endpoint: string, path: string): Promise<Buffer> {
  let first: Buffer | undefined;
  for await (const message of messages) first ??= message;
  if (first !== undefined) return first;
  const message = `could not ask etcd at ${endpoint} for ${path}: it answered without a message`;
  throw new EtcdError("Malformed", message, { endpoint, maybeDone: true });
}
