import { join } from 'node:path';
import type { Tool } from '../../src/agent/tool.js';
import { systemClock } from '../../src/host/clock.js';
import { openTaskList } from '../../src/tasks/taskList.js';
import { createAgentTool } from '../../src/tools/agent.js';
import { createAskUserQuestionTool } from '../../src/tools/askUserQuestion.js';
import { createBashTool } from '../../src/tools/bash.js';
import { createEditTool } from '../../src/tools/edit.js';
import { globTool } from '../../src/tools/glob.js';
import { grepTool } from '../../src/tools/grep.js';
import { createListMcpResourcesTool, createReadMcpResourceTool } from '../../src/tools/mcpResources.js';
import { createNotebookEditTool } from '../../src/tools/notebookEdit.js';
import { createExitPlanModeTool, enterPlanModeTool } from '../../src/tools/planMode.js';
import { readTool } from '../../src/tools/read.js';
import { createSendMessageTool } from '../../src/tools/sendMessage.js';
import { createSkillTool } from '../../src/tools/skill.js';
import { createTaskOutputTool, createTaskStopTool } from '../../src/tools/taskOutput.js';
import { createTaskTools } from '../../src/tools/tasks.js';
import { createTeamTools } from '../../src/tools/team.js';
import { createTodoWriteTool } from '../../src/tools/todoWrite.js';
import { createToolSearchTool } from '../../src/tools/toolSearch.js';
import { createWebFetchTool } from '../../src/tools/webFetch.js';
import { createWebSearchTool } from '../../src/tools/webSearch.js';
import { createEnterWorktreeTool, createExitWorktreeTool } from '../../src/tools/worktree.js';
import { createWriteTool } from '../../src/tools/write.js';

const unused = () => Promise.reject(new Error('not to be reached'));

/** Work without an end, until it is cancelled. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

export const markIn = (folder: string) => ({ member: 'bob@red:1', home: folder });

/** Every tool that has its input from the program itself; whom they reach outside of this machine never answers. */
export function everyTool(folder: string): Tool[] {
  const place = { folder: join(folder, 'output'), maxTokens: 1 };
  return [
    createAgentTool({
      start: (_, signal) => untilAborted(signal),
      offersTeammates: true,
      offersBackground: true,
    }),
    createAskUserQuestionTool((_, signal) => untilAborted(signal)),
    createBashTool({
      clock: systemClock,
      mark: markIn(folder),
      environment: () => ({ PATH: process.env['PATH'] ?? '' }),
      outputFolder: join(folder, 'output'),
      keepsCwd: true,
      folders: () => [],
    }),
    createEditTool(),
    enterPlanModeTool,
    createEnterWorktreeTool({ enter: unused }),
    createExitPlanModeTool(unused),
    createExitWorktreeTool({ leave: unused }),
    globTool,
    grepTool,
    createListMcpResourcesTool(() => [], place),
    createNotebookEditTool(),
    readTool,
    createReadMcpResourceTool(() => [], place),
    createSendMessageTool({ prose: unused, shutdownRequest: unused, shutdownResponse: unused, planResponse: unused }),
    createSkillTool({ use: (_, { signal }) => untilAborted(signal) }),
    ...createTaskTools(openTaskList(join(folder, 'tasks')), { name: 'bob', generation: 1 }),
    createTaskOutputTool({ output: (_, __, signal) => untilAborted(signal) }),
    createTaskStopTool({ stop: unused }),
    ...createTeamTools({ create: unused, remove: unused }),
    createTodoWriteTool(),
    createToolSearchTool({ deferred: () => [], load: () => [] }),
    createWebFetchTool({ clock: systemClock, isAllowedByName: () => true, askSmallModel: unused }),
    createWebSearchTool((_, signal) => untilAborted(signal)),
    createWriteTool(),
  ];
}
