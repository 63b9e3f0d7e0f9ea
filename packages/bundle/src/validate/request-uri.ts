/** Whether a text is an address that a request could be sent to: absolute, with a scheme, or a path from the root. */
import { quote } from "@capstan/model";

/** The problem of an address, if any. */
export function uriProblem(text: string): string | undefined {
  const problem = problemOf(text);
  return problem === undefined ? undefined : `parse ${quote(text)}: ${problem}`;
}

function problemOf(text: string): string | undefined {
  if (/[\u0000-\u001f\u007f]/u.test(text)) return "net/url: invalid control character in URL";
  if (text === "") return "empty url";
  if (text === "*") return undefined;
  const colon = /^([^/?#]*?):/.exec(text);
  const scheme = colon?.[1];
  if (scheme === "") return "missing protocol scheme";
  const hasScheme = scheme !== undefined && /^[a-zA-Z][a-zA-Z0-9+.-]*$/.test(scheme);
  const rest = hasScheme ? text.slice(scheme.length + 1) : text;
  const path = rest.split("?", 1)[0] ?? "";
  if (!path.startsWith("/")) {
    // Something like `mailto:` has no path to speak of.
    return hasScheme
      ? undefined
      : startsBadly(text)
        ? "first path segment in URL cannot contain colon"
        : "invalid URI for request";
  }
  return hasScheme && path.startsWith("//") ? authorityProblem(path.slice(2)) : escapeProblem(path);
}

/** A scheme must not start with a digit; the colon is then part of a path. */
function startsBadly(text: string): boolean {
  return /^[0-9+.-][a-zA-Z0-9+.-]*:/.test(text);
}

function authorityProblem(text: string): string | undefined {
  const slash = text.indexOf("/");
  const [authority, path] = slash === -1 ? [text, ""] : [text.slice(0, slash), text.slice(slash)];
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  return hostProblem(host) ?? escapeProblem(path);
}

function hostProblem(host: string): string | undefined {
  if (host.startsWith("[")) {
    const close = host.lastIndexOf("]");
    if (close === -1) return "missing ']' in host";
    return portProblem(host.slice(close + 1));
  }
  const colon = host.lastIndexOf(":");
  const port = colon === -1 ? undefined : portProblem(host.slice(colon));
  if (port !== undefined) return port;
  const wrong = /[ "<>^`{|}\\]/.exec(host)?.[0];
  return wrong === undefined ? escapeProblem(host) : `invalid character ${quote(wrong)} in host name`;
}

function portProblem(text: string): string | undefined {
  return text === "" || /^:[0-9]*$/.test(text) ? undefined : `invalid port ${quote(text)} after host`;
}

function escapeProblem(text: string): string | undefined {
  const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/u.exec(text)?.[0];
  return wrong === undefined ? undefined : `invalid URL escape ${quote(wrong)}`;
}
