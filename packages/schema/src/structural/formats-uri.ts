/** Request URIs and mail addresses in strings, accepted like Go's net/url and net/mail. */

function hasControl(text: string): boolean {
  return /[\u0000-\u001f\u007f]/.test(text);
}

function validEscapes(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

interface Url {
  readonly scheme: string;
  readonly user: string | undefined;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

/** Splits a URL like url.Parse, or returns the error. */
export function parseUrl(text: string): Url | { readonly problem: string } {
  const hash = text.indexOf("#");
  const [main, fragment] = hash < 0 ? [text, ""] : [text.slice(0, hash), text.slice(hash + 1)];
  if (hasControl(text)) return { problem: "net/url: invalid control character in URL" };
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(main)?.[1] ?? "";
  if (main.startsWith(":")) return { problem: "missing protocol scheme" };
  let rest = scheme === "" ? main : main.slice(scheme.length + 1);
  const question = rest.indexOf("?");
  const query = question < 0 ? "" : rest.slice(question + 1);
  rest = question < 0 ? rest : rest.slice(0, question);
  if (scheme === "" && !rest.startsWith("/") && (rest.split("/")[0] ?? "").includes(":"))
    return { problem: "first path segment in URL cannot contain colon" };
  if (scheme !== "" && !rest.startsWith("/")) return { scheme, user: undefined, host: "", path: rest, query, fragment };
  return splitAuthority(rest, { scheme: scheme.toLowerCase(), query, fragment });
}

type Frame = Pick<Url, "scheme" | "query" | "fragment">;

function splitAuthority(rest: string, frame: Frame): Url | { readonly problem: string } {
  if (!rest.startsWith("//") || (frame.scheme === "" && rest.startsWith("///")))
    return checkPath({ ...frame, user: undefined, host: "", path: rest });
  const slash = rest.indexOf("/", 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  const problem = hostProblem(host);
  if (problem !== undefined) return { problem };
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at)))
    return { problem: "net/url: invalid userinfo" };
  return checkPath({
    ...frame,
    user: at < 0 ? undefined : authority.slice(0, at),
    host,
    path: slash < 0 ? "" : rest.slice(slash),
  });
}

function checkPath(url: Url): Url | { readonly problem: string } {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/u.exec(url.path);
  return bad === null ? url : { problem: `invalid URL escape ${JSON.stringify(bad[0])}` };
}

function hostProblem(host: string): string | undefined {
  if (host.startsWith("[")) return host.includes("]") ? undefined : "missing ']' in host";
  const colon = host.lastIndexOf(":");
  if (colon >= 0 && !/^\d*$/.test(host.slice(colon + 1)))
    return `invalid port ${JSON.stringify(host.slice(colon))} after host`;
  const bad = /[ <>"`{}|\\^]/.exec(host);
  if (bad !== null) return `invalid character ${JSON.stringify(bad[0])} in host name`;
  return validEscapes(host) ? undefined : "invalid URL escape";
}

/** An absolute URI or an absolute path, as a request line carries it. */
export function isRequestUri(text: string): boolean {
  if (text === "" || hasControl(text)) return false;
  if (text === "*") return true;
  const url = parseUrl(text.replaceAll("#", "%23"));
  if ("problem" in url) return false;
  return text.startsWith("/") || url.scheme !== "";
}

const atomCharacter = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]$/u;

/** Parses one mail address from left to right; each method advances only on a match. */
class AddressReader {
  private readonly characters: readonly string[];
  private position = 0;

  constructor(text: string) {
    this.characters = Array.from(text);
  }

  /** Whether the whole text is one address. */
  isAddress(): boolean {
    this.skipSpace();
    const start = this.position;
    if (this.addressSpec() && this.atEnd()) return true;
    this.position = start;
    return this.phrase() && this.take("<") && this.inside() && this.take(">") && this.atEnd();
  }

  private inside(): boolean {
    this.skipSpace();
    const found = this.addressSpec();
    this.skipSpace();
    return found;
  }

  private take(character: string): boolean {
    if (this.characters[this.position] !== character) return false;
    this.position++;
    return true;
  }

  private skipSpace(): void {
    while (this.take(" ") || this.take("\t"));
  }

  /** The end, after spaces and comments. */
  private atEnd(): boolean {
    this.skipSpace();
    while (this.take("(")) {
      while (this.position < this.characters.length && !this.take(")")) this.position++;
      if (this.characters[this.position - 1] !== ")") return false;
      this.skipSpace();
    }
    return this.position === this.characters.length;
  }

  private atom(): boolean {
    const start = this.position;
    while (atomCharacter.test(this.characters[this.position] ?? "")) this.position++;
    return this.position > start;
  }

  private dotAtom(): boolean {
    if (!this.atom()) return false;
    while (this.take(".")) if (!this.atom()) return false;
    return true;
  }

  private quoted(): boolean {
    if (!this.take('"')) return false;
    for (; this.position < this.characters.length; this.position++) {
      if (this.take('"')) return true;
      if (this.take("\\") && this.position >= this.characters.length) return false;
      if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(this.characters[this.position] ?? "")) return false;
    }
    return false;
  }

  private addressSpec(): boolean {
    const local = this.characters[this.position] === '"' ? this.quoted() : this.dotAtom();
    if (!local) return false;
    this.skipSpace();
    if (!this.take("@")) return false;
    this.skipSpace();
    return this.characters[this.position] === "[" ? this.literal() : this.dotAtom();
  }

  private literal(): boolean {
    const end = this.characters.indexOf("]", this.position);
    if (end < 0) return false;
    this.position = end + 1;
    return true;
  }

  /** Words before an address in angle brackets; optional. */
  private phrase(): boolean {
    for (;;) {
      this.skipSpace();
      const next = this.characters[this.position];
      if (next === "<") return true;
      const found = next === '"' ? this.quoted() : this.word();
      if (!found) return false;
    }
  }

  private word(): boolean {
    const start = this.position;
    while (this.atom() || this.take("."));
    return this.position > start;
  }
}

/** One mail address, bare or with a display name. */
export function isEmail(text: string): boolean {
  return new AddressReader(text).isAddress();
}
