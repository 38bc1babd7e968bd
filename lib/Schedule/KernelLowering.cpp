// SPDX-License-Identifier: Apache-2.0
//
// What a kernel needs before any command: buffers, queues and the loop nest.

#include "Lowering.h"

namespace spyre::schedule {

using cost::KernelKind;
using cost::KernelOperand;
using launch::Affine;
using launch::Command;
using launch::CommandKind;
using launch::Extent;
using launch::Unit;

launch::Extent constantExtent(int64_t value) {
  Affine affine;
  affine.constant = value;
  return Extent{{affine}};
}

launch::Phase KernelLowering::run() {
  phase.name = problem.name;
  predicate = geometry.activePredicate();
  ownerPredicate = geometry.ownerPredicate();
  createBuffers();
  emitLoads();
  switch (problem.kind) {
  case KernelKind::Contract:
    emitMatmul();
    if (result != accumulator) {
      emitReduceOverCores();
    }
    emitEpilogue();
    break;
  case KernelKind::Reduce:
    emitReduction();
    break;
  case KernelKind::Map:
  case KernelKind::Restickify:
  case KernelKind::Gather:
    emitElementwise();
    break;
  }
  emitStores();
  return std::move(phase);
}

bool KernelLowering::hasAccumulator() const {
  return problem.kind == KernelKind::Contract ||
         problem.kind == KernelKind::Reduce;
}

Unit KernelLowering::consumerOf(const KernelOperand &operand) const {
  return problem.kind == KernelKind::Contract && !operand.epilogue ? Unit::PT
                                                                   : Unit::SFU;
}

uint32_t KernelLowering::addLxBuffer(std::string name,
                                     const KernelOperand &operand,
                                     int64_t address) {
  launch::Buffer buffer;
  buffer.name = problem.name + "_" + std::move(name);
  buffer.space = launch::Space::LX;
  buffer.type = operand.type;
  buffer.shape = cost::tileShape(problem, kernel.plan, operand);
  buffer.binding = launch::Binding::Lx;
  buffer.offset = address;
  program.buffers.push_back(std::move(buffer));
  return static_cast<uint32_t>(program.buffers.size() - 1);
}

void KernelLowering::createBuffers() {
  for (size_t i = 0; i < problem.operands.size(); ++i) {
    const KernelOperand &operand = problem.operands[i];
    sharing.push_back(operand.output || operand.resident || isIndex(i)
                          ? SharingGroup{}
                          : geometry.sharingOf(operand));
    if (operand.resident) {
      working.push_back(kernel.operandBuffers[i]);
      continue;
    }
    uint32_t buffer = addLxBuffer(operand.name, operand, kernel.lxAddresses[i]);
    if (isIndex(i)) {
      // Loaded and read by one unit, in its own order.
      working.push_back(buffer);
      continue;
    }
    launch::Queue queue;
    queue.slots = kernel.plan.buffers;
    queue.producer = operand.output ? Unit::SFU : Unit::Load;
    queue.consumers = {operand.output ? Unit::Store : consumerOf(operand)};
    if (sharing[i].size > 1) {
      queue.fillTable = tableOf(program, "group", sharing[i].masks);
    }
    program.buffers[buffer].kind = launch::BufferKind::Queue;
    program.buffers[buffer].queue = std::move(queue);
    working.push_back(buffer);
  }
  if (!hasAccumulator()) {
    return;
  }
  accumulatorOperand = cost::accumulatorOperand(problem);
  accumulator =
      addLxBuffer("acc", accumulatorOperand, kernel.lxAddresses.back());
  result = accumulator;
  if (problem.kind != KernelKind::Contract) {
    return;
  }
  auto connect = [&](uint32_t buffer, Unit producer, Unit consumer) {
    launch::Queue queue;
    queue.producer = producer;
    queue.consumers = {consumer};
    program.buffers[buffer].kind = launch::BufferKind::Queue;
    program.buffers[buffer].queue = std::move(queue);
  };
  if (cost::splitReduction(problem, kernel.plan) < 0) {
    connect(accumulator, Unit::PT, Unit::SFU);
    return;
  }
  result = addLxBuffer("sum", accumulatorOperand,
                       kernel.lxAddresses.back() +
                           launch::sizeBytes(program.buffers[accumulator]));
  connect(accumulator, Unit::PT, Unit::Ring);
  connect(result, Unit::Ring, Unit::SFU);
}

std::vector<Command> &KernelLowering::unit(Unit which) {
  return phase.units[static_cast<size_t>(which)];
}

Command KernelLowering::make(CommandKind kind) const {
  Command command;
  command.kind = kind;
  command.source = kernel.source;
  if (kind != CommandKind::Next) {
    command.predicate = predicate;
  }
  return command;
}

void KernelLowering::emitNest(Unit which, size_t depth,
                              const std::function<void(size_t)> &before,
                              const std::function<void(size_t)> &after,
                              size_t level) {
  before(level);
  if (level < depth) {
    Command loop;
    loop.kind = CommandKind::Loop;
    loop.source = kernel.source;
    loop.trip = constantExtent(geometry.tripsAt(level));
    unit(which).push_back(std::move(loop));
    emitNest(which, depth, before, after, level + 1);
    Command end;
    end.kind = CommandKind::End;
    unit(which).push_back(std::move(end));
  }
  after(level);
}

void KernelLowering::emitNext(Unit which,
                              const std::vector<uint32_t> &buffers) {
  if (buffers.empty()) {
    return;
  }
  std::vector<Command> &list = unit(which);
  // The last command of the level may carry the actions itself.
  if (!list.empty() && list.back().kind != CommandKind::End &&
      list.back().kind != CommandKind::Loop) {
    list.back().next.insert(list.back().next.end(), buffers.begin(),
                            buffers.end());
    return;
  }
  Command next = make(CommandKind::Next);
  next.next = buffers;
  list.push_back(std::move(next));
}

std::vector<uint32_t> KernelLowering::queuesAt(
    size_t level,
    const std::function<bool(const KernelOperand &)> &wanted) const {
  std::vector<uint32_t> buffers;
  for (size_t i = 0; i < problem.operands.size(); ++i) {
    const KernelOperand &operand = problem.operands[i];
    if (!operand.resident && !isIndex(i) && wanted(operand) &&
        geometry.levelOf(operand) == level) {
      buffers.push_back(working[i]);
    }
  }
  return buffers;
}

launch::Phase lowerKernel(launch::Program &program,
                          const KernelToLower &kernel) {
  return KernelLowering(program, kernel).run();
}

} // namespace spyre::schedule
