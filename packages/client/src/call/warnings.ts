/** Reports each distinct warning of the API server once. */
import type { ResponseHeaders } from "../transport/transport.ts";

/** A warning from the API server: "policy/v1beta1 is deprecated". */
export interface ApiWarning {
  readonly text: string;
  /** The source of the warning; Kubernetes sends "-". */
  readonly agent: string;
}

/** The number of remembered texts, to bound memory when every warning differs. */
const maxRemembered = 1000;

/** Reads the headers of every response and reports each text once. */
export function warnOnce(report: (warning: ApiWarning) => void): (headers: ResponseHeaders) => void {
  const seen = new Set<string>();
  return ({ warning }) => {
    if (warning === undefined) return;
    for (const one of parseWarnings(typeof warning === "string" ? warning : warning.join(", "))) {
      if (seen.has(one.text) || seen.size >= maxRemembered) continue;
      seen.add(one.text);
      report(one);
    }
  };
}

/** RFC 7234, section 5.5: `299 agent "text"`, separated by commas. Only 299 is meant for users. */
export function parseWarnings(header: string): ApiWarning[] {
  const pattern = /(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"/gu;
  return [...header.matchAll(pattern)]
    .filter(([, code]) => code === "299")
    .map(([, , agent = "-", text = ""]) => ({ agent, text: text.replaceAll(/\\(.)/gu, "$1") }));
}
