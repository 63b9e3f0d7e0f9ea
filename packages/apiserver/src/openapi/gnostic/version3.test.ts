/** OpenAPI v3 as protobuf, compared with the bytes of Go's parser for the same document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toProtobuf } from "./version3.ts";

const document = {
  openapi: "3.0.0",
  info: {
    title: "Sample",
    version: "1",
  },
  paths: {
    "/a/{name}": {
      get: {
        tags: ["a"],
        description: "read",
        operationId: "readA",
        parameters: [
          {
            $ref: "#/components/parameters/p",
          },
          {
            name: "watch",
            in: "query",
            description: "d",
            schema: {
              type: "boolean",
              uniqueItems: true,
            },
          },
        ],
        requestBody: {
          content: {
            "*/*": {
              schema: {
                $ref: "#/components/schemas/A",
              },
            },
          },
          required: true,
        },
        responses: {
          "200": {
            description: "OK",
            content: {
              "application/json": {
                schema: {
                  type: "string",
                },
              },
            },
          },
          default: {
            description: "other",
          },
          "401": {
            description: "Unauthorized",
          },
        },
        "x-kubernetes-action": "get",
        "x-kubernetes-group-version-kind": {
          group: "",
          version: "v1",
          kind: "A",
        },
      },
      parameters: [
        {
          name: "name",
          in: "path",
          required: true,
          schema: {
            type: "string",
          },
        },
      ],
    },
  },
  components: {
    schemas: {
      A: {
        type: "object",
        required: ["b"],
        properties: {
          b: {
            type: "integer",
            format: "int64",
            minimum: 0,
            maximum: 9.5,
            exclusiveMaximum: true,
            default: 0,
          },
          c: {
            type: "array",
            items: {
              allOf: [
                {
                  $ref: "#/components/schemas/A",
                },
              ],
              default: {},
            },
            maxItems: 3,
            "x-kubernetes-list-map-keys": ["name"],
          },
          d: {
            type: "object",
            additionalProperties: {
              type: "string",
              enum: ["*", "a b"],
            },
          },
          e: {
            type: "object",
            additionalProperties: false,
            nullable: true,
          },
          f: {
            oneOf: [
              {
                type: "integer",
              },
              {
                type: "string",
                default: "x",
              },
            ],
            not: {
              pattern: "^a$",
            },
            anyOf: [
              {
                $ref: "#/components/schemas/A",
              },
            ],
          },
          g: {
            type: "boolean",
            default: false,
            example: {
              a: 1,
            },
          },
        },
        "x-kubernetes-validations": [
          {
            rule: "self.b > 1",
            message: "b: no",
          },
        ],
      },
    },
    parameters: {
      p: {
        name: "pretty",
        in: "query",
        schema: {
          type: "string",
        },
      },
    },
    securitySchemes: {
      BearerToken: {
        type: "apiKey",
        description: "Bearer",
        name: "authorization",
        in: "header",
      },
    },
  },
  security: [
    {
      BearerToken: [],
    },
  ],
};

/** The output of `openapi_v3.ParseDocument` of gnostic-models 0.7.0 and `proto.Marshal`. */
const expected =
  "CgUzLjAuMBILCgZTYW1wbGUyATEi8wIK8AIKCS9hL3tuYW1lfRLiAiLAAgoBYRoEcmVhZCoFcmVhZEEyHRIbChkjL2NvbXBvbmVudHMvcGFyYW1ldGVycy9wMiQKIgoFd2F0Y2gSBXF1ZXJ5GgFkUg8KDaABAcoBB2Jvb2xlYW46KwopEiUKIwoDKi8qEhwKGhIYChYjL2NvbXBvbmVudHMvc2NoZW1hcy9BGAFCWAoJCgcKBW90aGVyEjIKAzIwMBIrCikKAk9LGiMKIQoQYXBwbGljYXRpb24vanNvbhINCgsKCcoBBnN0cmluZxIXCgM0MDESEAoOCgxVbmF1dGhvcml6ZWRqHQoTeC1rdWJlcm5ldGVzLWFjdGlvbhIGEgRnZXQKakMKH3gta3ViZXJuZXRlcy1ncm91cC12ZXJzaW9uLWtpbmQSIBIeZ3JvdXA6ICIiCnZlcnNpb246IHYxCmtpbmQ6IEEKah0KGwoEbmFtZRIEcGF0aCABUgsKCcoBBnN0cmluZyqhBAq7Awq4AwoBQRKyAwqvA7oBAWLKAQZvYmplY3T6AdcCCjAKAWISKwopWQAAAAAAACNAYAHKAQdpbnRlZ2VyigIJCQAAAAAAAAAAmgIFaW50NjQKYwoBYxJeClyQAQPKAQVhcnJhefIBJAoiCiDSARoSGAoWIy9jb21wb25lbnRzL3NjaGVtYXMvQYoCAKICJwoaeC1rdWJlcm5ldGVzLWxpc3QtbWFwLWtleXMSCRIHLSBuYW1lCgoyCgFkEi0KK8oBBm9iamVjdIICHwodChvCAQYSBCcqJwrCAQYSBGEgYgrKAQZzdHJpbmcKFwoBZRISChAIAcoBBm9iamVjdIICAhAAClAKAWYSSwpJ2gEMCgrKAQdpbnRlZ2Vy2gERCg/KAQZzdHJpbmeKAgMaAXjiARoSGAoWIy9jb21wb25lbnRzL3NjaGVtYXMvQeoBBooBA15hJAofCgFnEhoKGDoHEgVhOiAxCsoBB2Jvb2xlYW6KAgIQAKICRAoYeC1rdWJlcm5ldGVzLXZhbGlkYXRpb25zEigSJi0gcnVsZTogc2VsZi5iID4gMQogIG1lc3NhZ2U6ICdiOiBubycKGiUKIwoBcBIeChwKBnByZXR0eRIFcXVlcnlSCwoJygEGc3RyaW5nOjoKOAoLQmVhcmVyVG9rZW4SKQonCgZhcGlLZXkSBkJlYXJlchoNYXV0aG9yaXphdGlvbiIGaGVhZGVyMhEKDwoLQmVhcmVyVG9rZW4SAA==";

test("an OpenAPI v3 document encodes to the same bytes as in Go", () => {
  assert.equal(Buffer.from(toProtobuf(document)).toString("base64"), expected);
});
