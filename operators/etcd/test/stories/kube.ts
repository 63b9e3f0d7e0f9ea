/** A few calls to an API server from a kubeconfig, the same for every cluster. */
import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { parse } from "yaml";

/** An object of any kind. */
export interface KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

interface Config {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly "certificate-authority-data": string };
  }[];
  readonly users: readonly {
    readonly user: {
      readonly "client-certificate-data"?: string;
      readonly "client-key-data"?: string;
      readonly token?: string;
    };
  }[];
}

/** An error response of the server, with its message. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Kube {
  call(method: string, path: string, body?: unknown, type?: string): Promise<unknown>;
  get(path: string): Promise<KubeObject | undefined>;
  list(path: string): Promise<readonly KubeObject[]>;
  apply(path: string, object: object): Promise<KubeObject>;
  remove(path: string, grace?: number): Promise<void>;
}

export async function openKube(kubeconfig: string): Promise<Kube> {
  const config = parse(await readFile(kubeconfig, "utf8")) as Config;
  const { server, "certificate-authority-data": ca } = config.clusters[0]?.cluster ?? {
    server: "",
    "certificate-authority-data": "",
  };
  const { user } = config.users[0] ?? { user: {} };
  const decode = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : Buffer.from(text, "base64").toString();
  const identity = {
    ca: decode(ca),
    cert: decode(user["client-certificate-data"]),
    key: decode(user["client-key-data"]),
  };
  const call: Kube["call"] = (method, path, body, type = "application/json") =>
    new Promise((resolve, reject) => {
      const headers = {
        "content-type": type,
        ...(user.token === undefined ? {} : { authorization: `Bearer ${user.token}` }),
      };
      const outgoing = request(`${server}${path}`, { method, headers, ...identity, timeout: 20_000 }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const { statusCode = 0 } = answer;
          if (statusCode < 300) resolve(text === "" ? undefined : JSON.parse(text));
          else reject(new KubeError(statusCode, text));
        });
      });
      outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer from ${path}`)));
      outgoing.on("error", reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return {
    call,
    get: async (path) => {
      try {
        return (await call("GET", path)) as KubeObject;
      } catch (error) {
        if (error instanceof KubeError && error.status === 404) return undefined;
        throw error;
      }
    },
    list: async (path) => ((await call("GET", path)) as { items: readonly KubeObject[] }).items,
    apply: async (path, object) =>
      (await call(
        "PATCH",
        `${path}?fieldManager=story&force=true`,
        object,
        "application/apply-patch+yaml",
      )) as KubeObject,
    remove: async (path, grace) => {
      const query = grace === undefined ? "" : `?gracePeriodSeconds=${grace}`;
      await call("DELETE", `${path}${query}`).catch((error: unknown) => {
        if (!(error instanceof KubeError && error.status === 404)) throw error;
      });
    },
  };
}
