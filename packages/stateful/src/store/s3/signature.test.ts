import assert from "node:assert/strict";
import { test } from "node:test";
import { formatQuery, sha256, sign } from "./signature.ts";

/** The examples that Amazon publishes for Signature Version 4 in S3 ("Authenticating Requests: Using the Authorization Header"). */
const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};
const base = { region: "us-east-1", time: new Date("2013-05-24T00:00:00Z"), bodyHash: sha256("") };
const host = "examplebucket.s3.amazonaws.com";

test("Amazon's examples have the published signatures", () => {
  const signatures = [
    sign({ ...base, method: "GET", path: "/test.txt", query: [], headers: { host, range: "bytes=0-9" } }, credentials),
    sign({ ...base, method: "GET", path: "/", query: [["lifecycle", ""]], headers: { host } }, credentials),
    sign(
      {
        ...base,
        method: "GET",
        path: "/",
        query: [
          ["prefix", "J"],
          ["max-keys", "2"],
        ],
        headers: { host },
      },
      credentials,
    ),
    sign(
      {
        ...base,
        method: "PUT",
        path: "/test%24file.text",
        query: [],
        headers: { host, date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
        bodyHash: sha256("Welcome to Amazon S3."),
      },
      credentials,
    ),
  ].map(({ authorization = "" }) => authorization.split("Signature=")[1]);
  assert.deepEqual(signatures, [
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  ]);
});

test("a query is sorted and escaped", () => {
  assert.equal(
    formatQuery([
      ["b", "x y*"],
      ["a", "/"],
      ["a", "!"],
    ]),
    "a=%21&a=%2F&b=x%20y%2A",
  );
});
