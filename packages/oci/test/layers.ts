/** Layers made by hand, for tests. */
import { endOfArchive, formatHeader, type NewEntry } from "@capstan/oci";

export type TestEntry = NewEntry & { readonly body?: string | Uint8Array };

export function layer(entries: readonly TestEntry[]): Buffer {
  const parts = entries.flatMap(({ body = "", ...entry }) => {
    const bytes = Buffer.from(body);
    return [formatHeader({ ...entry, size: bytes.length }), bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return Buffer.concat([...parts, endOfArchive]);
}
