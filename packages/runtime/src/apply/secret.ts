/**
 * A Secret's `stringData` as the server stores it. The server only ever writes it: it is never there to be compared, and what it put into
 * `data` belongs to nobody, so that nothing of it could be repaired or taken away.
 */
import type { AnyKind } from "../api.ts";

interface Fields {
  readonly [field: string]: unknown;
}

/** What a child shall be, with texts of a Secret where they are kept. What is no text stays where it is, for the server to refuse. */
export function asStored({ group, kind }: AnyKind, desired: Fields): Fields {
  if (kind !== "Secret" || group !== "" || !isTexts(desired["stringData"])) return desired;
  const { stringData, data, ...rest } = desired;
  const encoded = Object.entries(stringData as { readonly [name: string]: string }).map(([name, text]) => [
    name,
    Buffer.from(text, "utf8").toString("base64"),
  ]);
  return { ...rest, data: { ...(data as Fields | undefined), ...Object.fromEntries(encoded) } };
}

function isTexts(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.values(value).every((text) => typeof text === "string");
}
