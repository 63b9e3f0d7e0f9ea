import assert from "node:assert/strict";
import { test } from "node:test";
import { rewriteUrl } from "./go-address.ts";

/** Requests as recorded by a server behind kube-apiserver 1.36.3, by the requested URL. */
const recorded: { readonly [asked: string]: string } = {
  "/apis/echo.dev/v1/things?b=2&a=1": "/apis/echo.dev/v1/things?a=1&b=2",
  "/apis/echo.dev/v1/things?b=2&a=1&b=1&c": "/apis/echo.dev/v1/things?a=1&b=2&b=1&c=",
  "/apis/echo.dev/v1/things?a=x%20y&z=1+2&q=%7e~&s=a/b:c;d": "/apis/echo.dev/v1/things?a=x+y&q=~~&z=1+2",
  "/apis/echo.dev/v1/things?": "/apis/echo.dev/v1/things",
  "/apis/echo.dev/v1/things?a=%zz&b=1": "/apis/echo.dev/v1/things?b=1",
  "/apis/echo.dev/v1/things?labelSelector=a%3Db%2Cc": "/apis/echo.dev/v1/things?labelSelector=a%3Db%2Cc",
  "/apis/echo.dev/v1/things?a=1;b=2&c=3": "/apis/echo.dev/v1/things?c=3",
  "/apis/echo.dev/v1/things?x=%C3%A4&y=ä": "/apis/echo.dev/v1/things?x=%C3%A4&y=%C3%A4",
  "/apis/echo.dev/v1/things/a%2Fb/c%20d": "/apis/echo.dev/v1/things/a/b/c%20d",
  "/apis/echo.dev/v1/things//x": "/apis/echo.dev/v1/things//x",
};

for (const [asked, came] of Object.entries(recorded)) {
  test(`${asked} is forwarded as kube-apiserver does`, () => assert.equal(rewriteUrl(asked), came));
}

/** All printable ASCII characters. */
const visible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join("");

/** The same, as Go's net/url escapes them in a path and in a query. */
const inPath =
  "/%21%22%23$%25&%27%28%29%2A+,-./0123456789:;%3C=%3E%3F@ABCDEFGHIJKLMNOPQRSTUVWXYZ%5B%5C%5D%5E_%60abcdefghijklmnopqrstuvwxyz%7B%7C%7D~";
const inQuery =
  "%21%22%23%24%25%26%27%28%29%2A%2B%2C-.%2F0123456789%3A%3B%3C%3D%3E%3F%40ABCDEFGHIJKLMNOPQRSTUVWXYZ%5B%5C%5D%5E_%60abcdefghijklmnopqrstuvwxyz%7B%7C%7D~";

test("paths and queries are escaped as in Go, also bytes that are not UTF-8", () => {
  assert.equal(rewriteUrl(`/${encodeURIComponent(visible)}%ff`), `${inPath}%FF`);
  assert.equal(rewriteUrl(`/?${encodeURIComponent(visible)}=%ff`), `/?${inQuery}=%FF`);
});
