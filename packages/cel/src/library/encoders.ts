/** The encoders extension: base64 both ways. */

import { overload } from "../check/declarations.ts";
import { BYTES, STRING } from "../type.ts";
import { fail } from "../values/value.ts";
import type { Library } from "./library.ts";

function decode(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function encode(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Adds base64.encode and base64.decode. */
export const ENCODERS: Library = {
  name: "encoders",
  functions: [
    {
      name: "base64.decode",
      overloads: [
        overload(
          "base64_decode_string",
          [STRING],
          BYTES,
          (text) => decode(text as string) ?? fail("illegal base64 data"),
        ),
      ],
    },
    {
      name: "base64.encode",
      overloads: [overload("base64_encode_bytes", [BYTES], STRING, (bytes) => encode(bytes as Uint8Array))],
    },
  ],
};
