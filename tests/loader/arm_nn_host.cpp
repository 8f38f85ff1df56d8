// SPDX-FileCopyrightText: armnn_py contributors
// SPDX-License-Identifier: MIT
//
// arm_nn_host.cpp - Arm NN's own runtime over a folder of dynamic backends: what it says of them.
#include <armnn/BackendId.hpp>
#include <armnn/IRuntime.hpp>
#include <armnn/Utils.hpp>
#include <cstdio>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // in order with what Arm NN prints
  armnn::ConfigureLogging(true, false, armnn::LogSeverity::Trace);
  armnn::IRuntime::CreationOptions options;
  options.m_DynamicBackendsPath = arguments[1];
  armnn::IRuntimePtr runtime = armnn::IRuntime::Create(options);
  for (const armnn::BackendId& id : runtime->GetDeviceSpec().GetSupportedBackends()) {
    std::printf("supported: %s\n", id.Get().c_str());
  }
  std::fflush(stdout);
  runtime.reset();
  std::puts("alive");
}
