/** Posts records to the metering service as CloudEvents. */
import { readFile } from "node:fs/promises";
import { MeterError } from "../error.ts";
import type { UsageSink } from "./record.ts";

/** Where records go, and how they get there. */
export interface PostOptions {
  /** The address of `capstan meter serve`. */
  readonly url: string;
  readonly tokenFile?: string;
  readonly now: () => Date;
  readonly fetch: (url: URL, init: RequestInit) => Promise<Response>;
}

/** A sink that posts. */
export function postUsage({ url, tokenFile, now, fetch }: PostOptions): UsageSink {
  return async ({ meter, amount, id, namespace, tenant, dimensions = {}, at = now() }) => {
    const event = {
      specversion: "1.0",
      id,
      source: meter,
      type: meter,
      time: at.toISOString(),
      ...(tenant !== undefined && { subject: tenant }),
      data: { amount, ...(namespace !== undefined && { namespace }), dimensions },
    };
    // Tokens of service accounts are renewed in their file.
    const token = tokenFile === undefined ? undefined : (await readFile(tokenFile, "utf8")).trim();
    const response = await fetch(new URL("/metering/v1/usage", url), {
      method: "POST",
      headers: {
        "content-type": "application/cloudevents+json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(event),
    });
    const text = await response.text();
    if (isTaken(response.status, text)) return;
    throw new MeterError(
      "Unreachable",
      `the metering service at ${url} does not take the record ${id} of ${meter}: ${response.status} ${text.slice(0, 500)}`,
    );
  };
}

/** A conflict is the same id with another time: a retry of what is counted. */
function isTaken(status: number, text: string): boolean {
  if (status === 200) return true;
  if (status !== 207) return false;
  const { rejected = 1 } = JSON.parse(text) as { readonly rejected?: number };
  return rejected === 0;
}
