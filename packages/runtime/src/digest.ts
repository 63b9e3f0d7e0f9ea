/** Short names for long texts. */

/** The SHA-256 of a text. Node's module is loaded when it is first needed: to import it costs a program that never does several milliseconds. */
export function sha256(text: string, encoding: "hex" | "base64url"): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest(encoding);
}
