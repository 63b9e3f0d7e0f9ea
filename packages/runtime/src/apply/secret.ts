/**
 * A Secret's `stringData` as the server stores it. The field is write-only: reads never show it, and the values that it sets in `data`
 * have no field manager, so they could be neither repaired nor removed.
 */
import type { AnyKind } from "../api.ts";

interface Fields {
  readonly [field: string]: unknown;
}

/** The desired child, with `stringData` of a Secret moved to `data`. Values that are not strings stay, for the server to reject. */
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
