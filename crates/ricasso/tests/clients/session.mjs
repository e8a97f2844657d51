// A session of an official TypeScript client: PACKAGE PROGRAM ARGUMENTS CALLS, one JSON line for each result.
import process from 'node:process';

const [, , which, program, args, calls] = process.argv;
const { Client, StdioClientTransport } =
  which === 'v1'
    ? {
        ...(await import('@modelcontextprotocol/sdk/client/index.js')),
        ...(await import('@modelcontextprotocol/sdk/client/stdio.js')),
      }
    : { ...(await import('@modelcontextprotocol/client')), ...(await import('@modelcontextprotocol/client/stdio')) };

const transport = new StdioClientTransport({ command: program, args: JSON.parse(args), env: process.env, cwd: process.cwd() });
const client = new Client({ name: 'ricasso-tests', version: '1' });
await client.connect(transport);
const { tools } = await client.listTools();
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name) }));
for (const call of JSON.parse(calls)) {
  const result = await client.callTool({ name: call.tool ?? tools[0].name, arguments: call.arguments });
  console.log(JSON.stringify({ texts: result.content.map((block) => block.text), error: Boolean(result.isError) }));
}
await client.close();
