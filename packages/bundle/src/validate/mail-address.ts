/** Whether a text is one mail address: `ann@example.com`, or `Ann <ann@example.com>`. */
import { quote } from "@capstan/model";

const atomChars = /^[\p{L}\p{N}\p{M}\p{S}!#$%&'*+\-/=?^_`{|}~.\u0080-\u{10FFFF}]$/u;

/** The problem of an address, if any. */
export function addressProblem(text: string): string | undefined {
  const rest = text.replace(/^[ \t]+/, "");
  if (rest === "") return "mail: no address";
  const plain = addrSpec(rest);
  if ("rest" in plain) return tail(plain.rest);
  const phrase = rest.startsWith("<") ? { rest, words: "" } : phraseOf(rest);
  if ("problem" in phrase) return phrase.problem;
  const after = phrase.rest.trimStart();
  if (!after.startsWith("<"))
    return Array.from(phrase.words).every(isAtom) ? "mail: missing '@' or angle-addr" : "mail: no angle-addr";
  const angled = addrSpec(after.slice(1));
  if ("problem" in angled) return angled.problem;
  return angled.rest.startsWith(">") ? tail(angled.rest.slice(1)) : "mail: unclosed angle-addr";
}

type Taken = { readonly rest: string } | { readonly problem: string };

function tail(rest: string): string | undefined {
  const left = rest.replace(/^[ \t]+/, "").replace(/^(\([^()]*\)[ \t]*)*/, "");
  return left === "" ? undefined : `mail: expected single address, got ${quote(left)}`;
}

function isAtom(char: string): boolean {
  return atomChars.test(char) && !'()<>[]:;@\\,"'.includes(char) && char > " ";
}

function addrSpec(text: string): Taken {
  const start = text.replace(/^[ \t]+/, "");
  if (start === "") return { problem: "mail: no addr-spec" };
  const local = start.startsWith('"') ? quoted(start) : atom(start);
  if ("problem" in local) return local;
  if (!local.rest.startsWith("@")) return { problem: "mail: missing @ in addr-spec" };
  const domain = local.rest.slice(1).replace(/^[ \t]+/, "");
  if (domain === "") return { problem: "mail: no domain in addr-spec" };
  return domain.startsWith("[") ? literal(domain) : atom(domain);
}

function atom(text: string): Taken {
  const taken = atomAt(text);
  if (taken === "") return { problem: "mail: invalid string" };
  if (taken.startsWith(".")) return { problem: "mail: leading dot in atom" };
  if (taken.includes("..")) return { problem: "mail: double dot in atom" };
  if (taken.endsWith(".")) return { problem: "mail: trailing dot in atom" };
  return { rest: text.slice(taken.length) };
}

function atomAt(text: string): string {
  let taken = "";
  for (const char of text) {
    if (!isAtom(char)) break;
    taken += char;
  }
  return taken;
}

function quoted(text: string): Taken {
  const match = /^"((?:[^"\\]|\\.)*)"/s.exec(text);
  if (match === null) return { problem: "mail: unclosed quoted-string" };
  return match[1] === ""
    ? { problem: "mail: empty quoted string in addr-spec" }
    : { rest: text.slice(match[0].length) };
}

function literal(text: string): Taken {
  const close = text.indexOf("]");
  if (close === -1) return { problem: "mail: unclosed domain-literal" };
  const inside = text.slice(1, close);
  const isAddress = /^(\d{1,3}\.){3}\d{1,3}$/.test(inside) || (inside.includes(":") && /^[0-9a-fA-F:.]+$/.test(inside));
  return isAddress
    ? { rest: text.slice(close + 1) }
    : { problem: `mail: invalid IP address in domain-literal: ${quote(inside)}` };
}

function phraseOf(text: string): { readonly rest: string; readonly words: string } | { readonly problem: string } {
  const words: string[] = [];
  let rest = text;
  for (;;) {
    rest = rest.replace(/^[ \t]+/, "");
    const word = rest.startsWith('"') ? (/^"(?:[^"\\]|\\.)*"/s.exec(rest)?.[0] ?? "") : atomAt(rest);
    if (word === "") break;
    words.push(word);
    rest = rest.slice(word.length);
  }
  if (words.length > 0 || rest === "") return { rest, words: words.join(" ") };
  const why = rest.startsWith('"') ? "mail: unclosed quoted-string" : "mail: invalid string";
  return { problem: `mail: missing word in phrase: ${why}` };
}
