// SPDX-License-Identifier: Apache-2.0
//
// A child writes its rows as JSON lines into a pipe and what it has to say in
// words into a temporary file. Where it ends before its last row, the data set
// that it was at gets a row that says how it ended, and another child goes on
// behind it.

#include "Isolate.h"

#include "Check.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace spyre;
using namespace spyre::tools;

namespace {

struct Child {
  pid_t pid = -1;
  /// Read end of the pipe.
  int rows = -1;
  /// What the child writes to its standard error; null if there is no room.
  std::FILE *words = nullptr;
  size_t task = 0;
  /// Read, without the end of a line yet.
  std::string pending;
};

/// False if the parent is gone.
bool writeAll(int file, const std::string &text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) {
      return false;
    }
    done += written > 0 ? static_cast<size_t>(written) : 0;
  }
  return true;
}

std::string readAll(std::FILE *file) {
  std::string text;
  if (file == nullptr || std::fseek(file, 0, SEEK_SET) != 0) {
    return text;
  }
  char block[4096];
  while (const size_t size = std::fread(block, 1, sizeof(block), file)) {
    text.append(block, size);
  }
  return text;
}

/// The first line that says something, above the stack that LLVM's handler of
/// signals prints.
std::string firstWords(const std::string &text) {
  size_t start = 0;
  while (start < text.size()) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    if (line.starts_with("PLEASE ") || line.starts_with("Stack dump")) {
      return {};
    }
    if (line.find_first_not_of(" \t") != std::string::npos) {
      return line;
    }
    start = end + 1;
  }
  return {};
}

std::string describeEnd(int status, unsigned timeoutSeconds) {
  if (!WIFSIGNALED(status)) {
    return fmt::format("the process ended with status {}",
                       WIFEXITED(status) ? WEXITSTATUS(status) : status);
  }
  const int signal = WTERMSIG(status);
  if (signal == SIGALRM && timeoutSeconds > 0) {
    return fmt::format("no result within {} s", timeoutSeconds);
  }
  return fmt::format("crash signal {} ({})", signal, strsignal(signal));
}

class Pool {
public:
  Pool(std::vector<Task> &tasks, const IsolateOptions &options)
      : tasks(tasks), options(options) {}

  void run() {
    size_t next = 0;
    while (true) {
      while (next < tasks.size() && children.size() < options.parallel) {
        if (!tasks[next].isDone()) {
          start(next);
        }
        ++next;
      }
      reportDone();
      if (children.empty() && next == tasks.size()) {
        return;
      }
      if (!children.empty()) {
        waitForRows();
      }
    }
  }

private:
  void start(size_t index) {
    // Nothing that waits to be written may be written twice.
    std::fflush(nullptr);
    Child child;
    child.task = index;
    child.words = std::tmpfile();
    int ends[2] = {-1, -1};
    const bool hasPipe = pipe(ends) == 0;
    child.pid = hasPipe ? fork() : -1;
    if (child.pid == 0) {
      close(ends[0]);
      runChild(index, ends[1], child.words);
    }
    const int error = errno;
    if (hasPipe) {
      close(ends[1]);
    }
    child.rows = ends[0];
    if (child.pid < 0) {
      fail(child, fmt::format("no process: {}", std::strerror(error)), {});
      release(child);
      // Whatever is left of the task has no process either.
      return tasks[index].isDone() ? void() : start(index);
    }
    children.push_back(std::move(child));
  }

  [[noreturn]] void runChild(size_t index, int rows, std::FILE *words) {
    if (words != nullptr) {
      dup2(fileno(words), STDOUT_FILENO);
      dup2(fileno(words), STDERR_FILENO);
    }
    if (!options.symbolize) {
      setenv("LLVM_DISABLE_SYMBOLIZATION", "1", 1);
    }
    alarm(options.timeoutSeconds);
    try {
      options.work(index, tasks[index].rows.size(), [&](const Row &row) {
        if (!writeAll(rows, toJsonLine(row))) {
          _exit(1);
        }
        alarm(options.timeoutSeconds);
      });
    } catch (const std::bad_alloc &) {
      std::fprintf(stderr, "out of memory\n");
      std::fflush(stderr);
      _exit(1);
    }
    std::fflush(nullptr);
    // The parent's objects are the parent's to destroy.
    _exit(0);
  }

  void waitForRows() {
    std::vector<pollfd> files;
    for (const Child &child : children) {
      files.push_back({child.rows, POLLIN, 0});
    }
    if (poll(files.data(), files.size(), -1) < 0) {
      return; // A signal.
    }
    // From the back, as children that end are removed.
    for (size_t i = files.size(); i-- > 0;) {
      if (files[i].revents != 0) {
        readRows(i);
      }
    }
  }

  void readRows(size_t index) {
    Child &child = children[index];
    char block[65536];
    const ssize_t size = read(child.rows, block, sizeof(block));
    if (size < 0 && errno == EINTR) {
      return;
    }
    if (size <= 0) {
      Child ended = std::move(child);
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(index));
      finish(ended);
      return;
    }
    child.pending.append(block, static_cast<size_t>(size));
    size_t end = 0;
    while ((end = child.pending.find('\n')) != std::string::npos) {
      if (std::optional<Row> row =
              parseJsonLine(child.pending.substr(0, end))) {
        tasks[child.task].rows.push_back(std::move(*row));
      }
      child.pending.erase(0, end + 1);
    }
  }

  void finish(Child &child) {
    int status = 0;
    while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
    }
    Task &task = tasks[child.task];
    if (!task.isDone()) {
      const std::string words = readAll(child.words);
      const std::string first = firstWords(words);
      fail(child,
           describeEnd(status, options.timeoutSeconds) +
               (first.empty() ? "" : ": " + first),
           words);
    }
    release(child);
    if (!task.isDone()) {
      start(child.task);
    }
  }

  static void release(Child &child) {
    if (child.rows >= 0) {
      close(child.rows);
    }
    if (child.words != nullptr) {
      std::fclose(child.words);
    }
  }

  void fail(const Child &child, std::string reason, std::string words) {
    Task &task = tasks[child.task];
    Row row = rowFor(*task.test, task.rows.size());
    row.verdict = Verdict::Fail;
    row.reason = std::move(reason);
    row.diagnostics = std::move(words);
    task.rows.push_back(std::move(row));
  }

  void reportDone() {
    while (numReported < tasks.size() && tasks[numReported].isDone()) {
      options.report(tasks[numReported++]);
    }
  }

  std::vector<Task> &tasks;
  const IsolateOptions &options;
  std::vector<Child> children;
  size_t numReported = 0;
};

} // namespace

void tools::runIsolated(std::vector<Task> &tasks,
                        const IsolateOptions &options) {
  Pool(tasks, options).run();
}
