"""A session of the official Python client: PROGRAM ARGUMENTS ERA CALLS, one JSON line for each result."""

import asyncio
import json
import os
import sys

import mcp
from mcp import StdioServerParameters


async def main() -> None:
    program, arguments, era, calls = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3], json.loads(sys.argv[4])
    server = StdioServerParameters(command=program, args=arguments, env=dict(os.environ), cwd=os.getcwd())
    async with mcp.Client(server, mode=era) as client:
        tools = (await client.list_tools()).tools
        print(json.dumps({"version": str(client.protocol_version), "tools": [tool.name for tool in tools]}), flush=True)
        for call in calls:
            result = await client.call_tool(call.get("tool", tools[0].name), call["arguments"])
            texts = [block.text for block in result.content]
            print(json.dumps({"texts": texts, "error": bool(result.is_error)}), flush=True)


asyncio.run(main())
