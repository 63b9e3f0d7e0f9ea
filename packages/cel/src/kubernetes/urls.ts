/** Kubernetes' URL functions. */

import type { FunctionDeclaration, Implementation } from "../check/declarations.ts";
import { member, overload } from "../check/declarations.ts";
import type { Library } from "../library/library.ts";
import { BOOL, listOf, mapOf, objectType, STRING, type Type } from "../type.ts";
import type { CelError, CelValue } from "../values/value.ts";
import { ArrayList, CelObject, EntryMap, fail, noSuchOverload } from "../values/value.ts";
import type { ParsedUrl } from "./url-parser.ts";
import {
  escapedPath,
  formatUrl,
  parseReference,
  parseRequestUri,
  queryValues,
  splitHost,
  UrlError,
} from "./url-parser.ts";

export const URL_TYPE: Type = objectType("kubernetes.URL");

/** A URL. */
export class CelUrl extends CelObject {
  override readonly type: Type = URL_TYPE;
  readonly url: ParsedUrl;
  constructor(url: ParsedUrl) {
    super();
    this.url = url;
  }
  override equals(other: CelValue): boolean | CelError {
    return other instanceof CelUrl ? this.text === other.text : noSuchOverload();
  }
  override get text(): string {
    return formatUrl(this.url);
  }
}

const toUrl: Implementation = (text) => {
  try {
    parseRequestUri(text as string);
    return new CelUrl(parseReference(text as string));
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    return fail(`URL parse error during conversion from string: ${error.message}`);
  }
};

/** The error of a URL that a request could not use, or undefined. */
export function requestUriProblem(text: string): string | undefined {
  try {
    parseRequestUri(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    return error.message;
  }
}

function part(name: string, id: string, read: (url: ParsedUrl) => string): FunctionDeclaration {
  return { name, overloads: [member(id, [URL_TYPE], STRING, (url) => read((url as CelUrl).url))] };
}

const query: Implementation = (url) => {
  const map = new EntryMap();
  for (const [name, values] of queryValues((url as CelUrl).url)) map.set(name, new ArrayList([...values]));
  return map;
};

export const URLS: Library = {
  name: "kubernetes.urls",
  functions: [
    { name: "url", overloads: [overload("string_to_url", [STRING], URL_TYPE, toUrl)] },
    part("getScheme", "url_get_scheme", (url) => url.scheme),
    part("getHost", "url_get_host", (url) => url.host),
    part("getHostname", "url_get_hostname", (url) => splitHost(url).hostname),
    part("getPort", "url_get_port", (url) => splitHost(url).port),
    part("getEscapedPath", "url_get_escaped_path", escapedPath),
    { name: "getQuery", overloads: [member("url_get_query", [URL_TYPE], mapOf(STRING, listOf(STRING)), query)] },
    {
      name: "isURL",
      overloads: [overload("is_url_string", [STRING], BOOL, (text) => requestUriProblem(text as string) === undefined)],
    },
  ],
};
