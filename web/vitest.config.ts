// Unit tests run without a browser: what they test is pure.
import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["tests/unit/**/*.test.ts"], environment: "node" } });
