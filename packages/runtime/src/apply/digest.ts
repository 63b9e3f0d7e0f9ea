/** Short names for long strings. */

/** The SHA-256 of a string. Node's module is loaded on first use: its import costs several milliseconds. */
export function sha256(text: string, encoding: "hex" | "base64url"): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest(encoding);
}
