/** OpenAPI v2 as protobuf, compared with the bytes of Go's parser for the same document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toProtobuf } from "./version2.ts";

const document = {
  swagger: "2.0",
  info: { title: "Sample", version: "1" },
  paths: {
    "/a/{name}": {
      get: {
        description: "read",
        consumes: ["application/json"],
        produces: ["application/json"],
        schemes: ["https"],
        tags: ["a"],
        operationId: "readA",
        parameters: [
          { $ref: "#/parameters/p" },
          { uniqueItems: true, type: "boolean", description: "d", name: "watch", in: "query" },
          { in: "body", name: "body", required: true, schema: { $ref: "#/definitions/A" } },
        ],
        responses: { "200": { description: "OK", schema: { type: "string" } }, "401": { description: "Unauthorized" } },
        "x-kubernetes-action": "get",
        "x-kubernetes-group-version-kind": { version: "v1", kind: "A", group: "" },
      },
      parameters: [
        { uniqueItems: true, type: "string", description: "name", name: "name", in: "path", required: true },
        { in: "header", name: "h", type: "integer", minimum: 1.5 },
      ],
    },
  },
  definitions: {
    A: {
      type: "object",
      required: ["b"],
      properties: {
        b: { type: "integer", format: "int64", minimum: 0, maximum: 9.5, exclusiveMaximum: true, default: 0 },
        c: {
          type: "array",
          items: { $ref: "#/definitions/A" },
          maxItems: 3,
          "x-kubernetes-list-map-keys": ["name", "*"],
          "x-kubernetes-list-type": "map",
        },
        d: { type: "object", additionalProperties: { type: "string", enum: ["*", "a b", "1"] } },
        e: { type: "object", additionalProperties: true },
        f: { default: {}, allOf: [{ pattern: "^a$", minLength: 1 }] },
      },
      "x-kubernetes-validations": [{ rule: "self.b > 1", message: "b: no" }],
    },
  },
  parameters: {
    p: { uniqueItems: true, type: "string", name: "pretty", in: "query" },
    body: { in: "body", name: "body", schema: { type: "object" } },
  },
  securityDefinitions: { BearerToken: { description: "Bearer", type: "apiKey", name: "authorization", in: "header" } },
  security: [{ BearerToken: [] }],
};

/** The output of `openapi_v2.ParseDocument` of gnostic-models 0.7.0 and `proto.Marshal`. */
const expected =
  "CgMyLjASCwoGU2FtcGxlEgExQpgDEpUDCgkvYS97bmFtZX0ShwMSuAIKAWEaBHJlYWQqBXJlYWRBMhBhcHBsaWNhdGlvbi9qc29uOhBhcHBsaWNhdGlvbi9qc29uQhISEAoOIy9wYXJhbWV0ZXJzL3BCIwohEh8aHRIFcXVlcnkaAWQiBXdhdGNoMgdib29sZWFuoAEBQiUKIwohEgRib2R5GgRib2R5IAEqEQoPIy9kZWZpbml0aW9ucy9BSjcKHAoDMjAwEhUKEwoCT0sSDQoLsgEICgZzdHJpbmcKFwoDNDAxEhAKDgoMVW5hdXRob3JpemVkUgVodHRwc2odChN4LWt1YmVybmV0ZXMtYWN0aW9uEgYSBGdldApqQwofeC1rdWJlcm5ldGVzLWdyb3VwLXZlcnNpb24ta2luZBIgEh52ZXJzaW9uOiB2MQpraW5kOiBBCmdyb3VwOiAiIgpKJQojEiEiHwgBEgRwYXRoGgRuYW1lIgRuYW1lKgZzdHJpbmeYAQFKIwohEh8KHRIGaGVhZGVyIgFoKgdpbnRlZ2VyYQAAAAAAAPg/SvYCCvMCCgFBEu0CmgEBYrIBCAoGb2JqZWN0ygGTAgopCgFiEiQSBWludDY0KgQSAjAKOQAAAAAAACNAQAGyAQkKB2ludGVnZXIKegoBYxJ1cAOyAQcKBWFycmF5ugETChEKDyMvZGVmaW5pdGlvbnMvQfoBLQoaeC1rdWJlcm5ldGVzLWxpc3QtbWFwLWtleXMSDxINLSBuYW1lCi0gJyonCvoBIAoWeC1rdWJlcm5ldGVzLWxpc3QtdHlwZRIGEgRtYXAKCjsKAWQSNqoBKAomogEGEgQnKicKogEGEgRhIGIKogEGEgQiMSIKsgEICgZzdHJpbmeyAQgKBm9iamVjdAoVCgFlEhCqAQIQAbIBCAoGb2JqZWN0ChYKAWYSESoFEgN7fQrCAQdgAWoDXmEk+gFEChh4LWt1YmVybmV0ZXMtdmFsaWRhdGlvbnMSKBImLSBydWxlOiBzZWxmLmIgPiAxCiAgbWVzc2FnZTogJ2I6IG5vJwpSSgojCgFwEh4SHBoaEgVxdWVyeSIGcHJldHR5MgZzdHJpbmegAQEKIwoEYm9keRIbChkSBGJvZHkaBGJvZHkqC7IBCAoGb2JqZWN0YhEKDwoLQmVhcmVyVG9rZW4SAGo6CjgKC0JlYXJlclRva2VuEikSJwoGYXBpS2V5Eg1hdXRob3JpemF0aW9uGgZoZWFkZXIiBkJlYXJlcg==";

test("an OpenAPI v2 document encodes to the same bytes as in Go", () => {
  assert.equal(Buffer.from(toProtobuf(document)).toString("base64"), expected);
});
