/** Foreign objects with the names of children in a world: no operator may change them. */
import { ConfigMap } from "@capstan/kinds/v1";
import type { Api } from "../../src/api.ts";
import type { ModelApi } from "../model-api.ts";

/** The foreign objects of one world. */
export class Strangers {
  readonly #api: ModelApi;
  readonly #violations: string[];
  /** The names of the existing ones, by uid. */
  readonly #names = new Map<string, string>();

  constructor(api: ModelApi, violations: string[]) {
    this.#api = api;
    this.#violations = violations;
  }

  /** Puts a foreign object in the place of a child, whether or not the child exists. */
  async come(name: string): Promise<void> {
    const key = { namespace: "default", name };
    await this.#api.delete(ConfigMap, key, {}).catch(() => undefined);
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: key, data: { precious: "yes" } };
    const { uid } = (await this.#api.create(ConfigMap, object, { manager: "stranger" })).metadata;
    this.#names.set(uid, name);
  }

  /** Deletes all of them. */
  async leave(): Promise<void> {
    for (const [uid, name] of this.#names)
      await this.#api.delete(ConfigMap, { namespace: "default", name }, { uid }).catch(() => undefined);
    this.#names.clear();
  }

  /** The API of an operator, with its writes checked. */
  seenBy(api: Api, replica: string): Api {
    return {
      ...api,
      apply: async (kind, object, options) => {
        const stored = await api.apply(kind, object, options);
        this.#mustNotBe(stored.metadata.uid, `${replica} took over`);
        return stored;
      },
      delete: (kind, key, options) => {
        const there = this.#api.peek(kind, `${key.namespace}/${key.name}`)?.metadata.uid ?? "";
        if (options.uid === undefined || options.uid === there) this.#mustNotBe(there, `${replica} deleted`);
        return api.delete(kind, key, options);
      },
    };
  }

  #mustNotBe(uid: string, what: string): void {
    const name = this.#names.get(uid);
    if (name !== undefined) this.#violations.push(`${what} ${name}, which a stranger had made`);
  }
}
