/** Responses as they are compared: volatile values are replaced, the order of fields is kept. */

/** The compared parts of a response. */
export interface Recorded {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** JSON is parsed; anything else is text; a watch is a list of events. */
  readonly body: unknown;
}

const comparedHeaders = ["content-type", "warning", "retry-after", "location"];

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const continueToken = /^eyJ2Ijoi/;
/** A table cell with an age that grows with the calendar: a fixed date in an object is older every day. */
const days = /^\d+(y(\d+d)?|d(\d+h)?)$/;

/** Replaces values that differ between runs: UIDs, times, resource versions, generated names, the namespace of the case. */
export class Normalizer {
  readonly #namespace: string;
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();

  /** The URL of the webhooks, if there are any. */
  readonly #hooks: string | undefined;

  constructor(namespace: string, hooks?: string) {
    this.#namespace = namespace;
    this.#hooks = hooks;
  }

  answer(status: number, headers: Headers | { [name: string]: string }, body: unknown): Recorded {
    const all = headers instanceof Headers ? Object.fromEntries(headers) : headers;
    const kept: { [name: string]: string } = {};
    for (const name of comparedHeaders) {
      const value = all[name];
      if (value !== undefined) kept[name] = this.#text(value);
    }
    return { status, headers: kept, body: this.#value(body, "") };
  }

  #value(value: unknown, key: string): unknown {
    if (typeof value === "string") return this.#field(value, key);
    if (Array.isArray(value)) return value.map((item) => this.#value(item, key));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [this.#text(name), this.#value(part, name)]));
  }

  #field(value: string, key: string): string {
    if (key === "resourceVersion") return this.#version(value);
    if (key === "storageVersionHash") return "{hash}";
    if (key === "cells" && days.test(value)) return "{age}";
    if (key === "continue" && continueToken.test(value)) return this.#token(value);
    return this.#text(value);
  }

  /** Resource versions keep their equality and lose their value. */
  #version(value: string): string {
    if (value === "" || value === "0" || !/^\d+$/.test(value)) return value;
    let known = this.#versions.get(value);
    if (known === undefined) this.#versions.set(value, (known = `version-${this.#versions.size + 1}`));
    return known;
  }

  #token(value: string): string {
    const { start } = JSON.parse(Buffer.from(value, "base64url").toString()) as { start: string };
    return `continue after ${this.#text(start)}`;
  }

  #text(value: string): string {
    const local = this.#hooks === undefined ? value : value.replaceAll(this.#hooks, "{hook}");
    // Suffixes before ages: a random suffix may look like an age (2457s).
    return local
      .replaceAll(this.#namespace, "{ns}")
      .replaceAll(uuid, (found) => this.#uid(found))
      .replaceAll(time, "{time}")
      .replaceAll(/([Gg]enerated[-_.]*)[a-z0-9]{5}\b/g, "$1{suffix}")
      .replaceAll(/\b(\d+h)?(\d+m)?\d+s\b/g, "{age}")
      .replaceAll(/(resource version: )\d+/gi, "$1{version}")
      .replaceAll(/(current: )\d+/g, "$1{version}")
      .replaceAll(/(resourceVersion\\?":\\?")\d+/g, "$1{version}")
      .replaceAll(/(resourceVersion: ")\d+/g, "$1{version}")
      .replaceAll(/(ResourceVersion in record \()\d+/g, "$1{version}")
      .replaceAll(/(ResourceVersion in the precondition \()\d{2,}/g, "$1{version}")
      .replaceAll(/version: \{version\} \(\d+\)/g, "version: {version} ({version})");
  }

  #uid(value: string): string {
    let known = this.#uids.get(value);
    if (known === undefined) this.#uids.set(value, (known = `uid-${this.#uids.size + 1}`));
    return known;
  }
}
