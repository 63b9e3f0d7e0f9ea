export * from "@capstan/kinds/policy/v1";
