/** Warnings that an API server sends along with its answers, each told once. */
import type { ResponseHeaders } from "../transport/transport.ts";

/** A warning of the API server: "policy/v1beta1 is deprecated". */
export interface ApiWarning {
  readonly text: string;
  /** Who warns; Kubernetes says "-". */
  readonly agent: string;
}

/** Texts remembered, so that a server that makes each warning different does not fill the memory. */
const maxRemembered = 1000;

/** Takes the headers of every answer and tells each text once. */
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

/** RFC 7234, section 5.5: `299 agent "text"`, several separated by commas. Only 299 is meant for people. */
export function parseWarnings(header: string): ApiWarning[] {
  const pattern = /(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"/gu;
  return [...header.matchAll(pattern)]
    .filter(([, code]) => code === "299")
    .map(([, , agent = "-", text = ""]) => ({ agent, text: text.replaceAll(/\\(.)/gu, "$1") }));
}
